"""Makes prompts with tests from the rows of a data set, one row at a time, and counts all that is left out.

row -> schema -> Item -> tests kept -> prompt -> (token limit) -> Example -> train or held out
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

import problems
from judge import LanguageError, languages
from judge.common.models import Cjk
from problems import ProblemError
from problems.model import Equality
from problems.reading.samples import samples
from problems.text import filters
from problems.text.constants import substitute
from problems.text.statement import Sample, squeeze
from trainer_adapter.data import hazards, schemas, shown, sources
from trainer_adapter.data.calls import FLOATS
from trainer_adapter.data.candidate import Candidate, Example, Message
from trainer_adapter.data.config import ANSWER_PROMPT, FUNCTION_PROMPT, SYSTEM_PROMPT, DataConfig, References
from trainer_adapter.data.cut import is_cut
from trainer_adapter.data.hazards import Does, Hazard
from trainer_adapter.data.item import Item, Unusable
from trainer_adapter.data.places import Places, find_place
from trainer_adapter.data.reference_check import check_references
from trainer_adapter.data.references import RIGHT, programs
from trainer_adapter.data.report import Report
from trainer_adapter.data.tests_column import Case, Checker, DataError, Inline, write_package
from trainer_adapter.data.tests_text import unpack

#: At most `_MOST_UNKNOWN` rows at the beginning may be of no known schema.
_MOST_UNKNOWN = 100
#: At most `_MOST_SOLUTIONS` reference programs of a row are read.
_MOST_SOLUTIONS = 3
_TESTLIB = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]testlib\.h[">].*$', re.MULTILINE)
#: We look for at most `_MOST_SHOWN` samples in a statement: no honest one has more.
_MOST_SHOWN = 100
#: The first `_LOOKED_AT` characters of an answer tell whether it is of decimal numbers.
_LOOKED_AT = 4096
_NOT_CALLABLE = "tests call a function, which programs in data.language cannot offer"
#: Counts the tokens of a prompt in the model's chat template.
CountTokens = Callable[[list[Message]], int]


def examples(
    config: DataConfig, report: Report, count_tokens: CountTokens | None = None, also: tuple[str, ...] = ()
) -> Iterator[Example]:
    """All examples of the split, in its order. `report` is complete after the last one. `also`: columns that rows keep
    where they have them.

    Raises:
        DataError, ProblemError: the source or its schema cannot be read, or the language is unknown.
    """
    found = candidates(config, report, count_tokens, also)
    if config.references is not References.IGNORE:
        found = check_references(found, config, report)
    report.places = Places(share=config.held_out)
    for candidate in found:
        if report.add(candidate.hazards, config.does, candidate.name):
            continue
        example = replace(candidate.example, held_out=report.places.add(candidate.example.place))
        report.held_out += example.held_out
        report.train += not example.held_out
        report.difficulties[example.difficulty or "unknown"] += 1
        yield example


def candidates(
    config: DataConfig, report: Report, count_tokens: CountTokens | None = None, also: tuple[str, ...] = ()
) -> Iterator[Candidate]:
    """As `examples`, with what is dropped for a hazard. No reference is run."""
    if config.most_prompt_tokens is not None and count_tokens is None:
        raise DataError("most_prompt_tokens needs the model's tokenizer; name one, or leave the limit out")
    maker = _Maker(config, report, count_tokens)
    for item in _items(config, report, also):
        try:
            yield maker.make(item)
        except Unusable as reason:
            report.dropped.add(str(reason), item.id)


def _items(config: DataConfig, report: Report, also: tuple[str, ...]) -> Iterator[Item]:
    if config.source == "library":
        if config.keep:
            raise DataError("the library has no columns to keep; leave out data.keep")
        report.schema = "library"
        yield from _library(config, report)
        return
    schema = None if config.schema_name is None else schemas.get(config.schema_name)
    unknown: DataError | None = None
    for number, row in enumerate(sources.rows(config.source, subset=config.subset, split=config.split)):
        if number == config.most_rows:
            break
        report.rows = number + 1
        try:
            schema = schema or schemas.detect(row)
        except DataError as error:
            unknown = unknown or error
            if number + 1 == _MOST_UNKNOWN:
                break
            report.dropped.add("is of no known schema", f"row {number}")
            continue
        report.schema = schema.name
        try:
            item = _read(config, schema, row, number, report)
        except Unusable as reason:
            report.dropped.add(str(reason), f"row {number}")
            continue
        if also:
            item = replace(item, kept={**item.kept, **{name: row[name] for name in also if name in row}})
        if not config.only or item.id in config.only:
            yield item
    if schema is None:
        raise unknown or DataError(f"{config.source}: has no rows")


def _read(config: DataConfig, schema: schemas.Schema, row: Mapping[str, Any], number: int, report: Report) -> Item:
    item = schemas.read(schema, row)
    for name in schemas.unread(schema, row):
        if name not in config.keep:
            report.unread.add(name, f"row {number}")
    kept: Mapping[str, Any] = _keep_columns(config, row) if config.keep else {}
    solutions = tuple(programs(row, RIGHT, _MOST_SOLUTIONS))
    return replace(item, id=item.id or f"row-{number}", kept=kept, solutions=solutions)


def _keep_columns(config: DataConfig, row: Mapping[str, Any]) -> dict[str, Any]:
    for name in config.keep:
        if name not in row:
            raise DataError(f"{config.source}: data.keep names {name!r}; the columns are {', '.join(sorted(row)[:40])}")
    return {name: row[name] for name in config.keep}


def _library(config: DataConfig, report: Report) -> Iterator[Item]:
    """Packages: the bundled ones, and those of JUDGE_PROBLEMS."""
    for name in (config.only or problems.names())[: config.most_rows]:
        report.rows += 1
        problem = problems.load(name)
        if problem.function is not None and not languages.get(config.language).call:
            report.dropped.add(_NOT_CALLABLE, name)
            continue
        tag = next((tag for tag in config.statement_languages if tag in problem.statements), None)
        if tag is None or problem.statements[tag].suffix != ".md":
            report.dropped.add(f"has no Markdown statement in {', '.join(config.statement_languages)}", name)
            continue
        report.tests += len(problem.cases) + len(problem.generated)
        shown = [sample.texts() for sample in samples(problem)]
        yield Item(
            id=name,
            reference=name,
            title=problem.title.get(tag, name),
            function=problem.function,
            statement=_statement(problem, tag),
            samples=tuple(Sample(one["input"], one["answer"]) for one in shown if "input" in one),
            conversations=tuple(one["interaction"] for one in shown if "interaction" in one),
        )


def _statement(problem: problems.Problem, tag: str) -> str:
    path = problem.statements[tag]
    return substitute(path.read_bytes(), problem.constants, f"statement {path}").decode()


class _Maker:
    def __init__(self, config: DataConfig, report: Report, count_tokens: CountTokens | None) -> None:
        try:
            language = languages.get(config.language)
        except LanguageError as error:
            raise DataError(f"data: {error}") from error
        self._calls = bool(language.call)
        self._title, self._fence = language.title.partition(" (")[0], language.name.rstrip("0123456789")
        self._config, self._report, self._count = config, report, count_tokens
        self._testlib = None if config.testlib is None else _read_text(config.testlib)
        self._seen: set[str] = set()

    def make(self, item: Item) -> Candidate:
        """The example of an item. Raises Unusable with the reason why there is none."""
        try:
            identity = hashlib.sha256(squeeze(item.statement).encode()).hexdigest()
        except UnicodeEncodeError:
            raise Unusable("the statement is no text (a lone surrogate)") from None
        if item.packaged:
            _require_known(item)
        inline, found = self._tests(item)
        dropped = any(self._config.does(hazard) is Does.DROP for hazard in found)
        if not dropped and identity in self._seen:
            raise Unusable("has the statement of an earlier row")
        if not dropped:
            self._seen.add(identity)
        prompt = [] if dropped else self._prompt(item)
        self._report.tests += len(inline.tests) if inline else 0
        reference = item.reference or item.id
        if inline is not None and self._config.store is not None and not dropped:
            reference = self._store(self._config.store, item, inline)
        stored = inline is None or self._config.store is not None
        example = Example(
            problem_id=reference,
            prompt=prompt,
            tests=None if stored or inline is None or dropped else inline.pack(),
            difficulty=item.difficulty,
            answer=item.answer,
            kept=item.kept,
            place=find_place(squeeze(item.statement)),
        )
        return Candidate(example=example, name=item.id, hazards=found, inline=inline, solutions=item.solutions)

    def _tests(self, item: Item) -> tuple[Inline | None, list[Hazard]]:
        """The tests that come with the item, and its hazards; None: it has a problem that the judge knows, or none."""
        if item.packed is not None:
            return _unpack(item.packed), []
        if item.reference is not None or item.answer is not None:
            return None, []
        try:
            return self._inline(item)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            raise Unusable(f"cannot be judged: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None

    def _prompt(self, item: Item) -> list[Message]:
        system = self._config.system_prompt
        if system is None:
            calls = SYSTEM_PROMPT if item.function is None else FUNCTION_PROMPT
            system = calls if item.answer is None else ANSWER_PROMPT
        # Not by `format`: other braces in the prompt are the user's.
        system = system.replace("{language}", self._title).replace("{fence}", self._fence)
        prompt = [{"role": "system", "content": system}] if system else []
        prompt.append({"role": "user", "content": _question(item)})
        if item.prompt is not None:
            prompt = [dict(message) for message in item.prompt]
        if self._count is not None:
            tokens, most = self._count(prompt), self._config.most_prompt_tokens
            if most is not None and tokens > most:
                raise Unusable(f"prompt longer than {most} tokens")
            self._report.prompt_tokens.append(tokens)
        return prompt

    def _inline(self, item: Item) -> tuple[Inline, list[Hazard]]:
        if item.function is not None and not self._calls:
            raise Unusable(_NOT_CALLABLE)
        shown, hidden = (
            self._keep_samples(item.id, tests, what) for tests, what in ((item.samples, "sample"), (item.tests, "test"))
        )
        if not hidden and (item.tests or item.missing):
            raise Unusable("none of its tests is left, and samples alone are no tests")
        if not hidden and not shown:
            raise Unusable("no test is left" if item.tests or item.samples else "there are no tests")
        stated = item.checker is not None or item.absolute_tolerance is not None
        decimal = not stated and any(map(_decimal, (*shown, *hidden)))
        called = item.function is not None and not item.function.python_values
        undecided = decimal and self._config.tolerance is None and not called
        tolerance = self._config.tolerance or (FLOATS if called else None)
        inline = Inline(
            tests=(
                *(Case(input=one.input, output=one.output, sample=bool(hidden)) for one in shown),
                *(Case(input=one.input, output=one.output) for one in _longest(hidden, self._config.most_tests)),
            ),
            cpu_ns=item.cpu_ns,
            memory_bytes=item.memory_bytes,
            checker=None if item.checker is None else self._with_testlib(item.checker),
            absolute_tolerance=tolerance if decimal else item.absolute_tolerance,
            relative_tolerance=tolerance if decimal else item.relative_tolerance,
            input_file=item.input_file,
            output_file=item.output_file,
            function=None if item.function is None else item.function.name,
            integer_keys=item.function is not None and item.function.integer_keys,
            python_values=item.function is not None and item.function.python_values,
            equality=Equality.VALUES if item.function is None else item.function.equality,
        )
        return inline, list(hazards.find(hazards.Looked(item=item, shown=shown, hidden=hidden, decimal=undecided)))

    def _with_testlib(self, checker: Checker) -> Checker:
        """The checker with testlib.h in it, if it needs that. Raises Unusable if nobody said where it is."""
        if checker.suffix != "cpp" or not _TESTLIB.search(checker.source):
            return checker
        if self._testlib is None:
            raise Unusable("its checker needs testlib.h: set data.testlib to one")
        header = self._testlib
        return checker.model_copy(update={"source": _TESTLIB.sub(lambda _: header, checker.source, count=1)})

    def _keep_samples(self, id_: str, tests: tuple[Sample, ...], what: str) -> list[Sample]:
        kept = []
        for number, one in enumerate(tests, 1):
            why = self._complaint(one, id_)
            if why is None:
                kept.append(one)
            else:
                self._report.dropped_tests.add(why, f"{id_} {what} {number}")
        return kept

    def _complaint(self, test: Sample, id_: str) -> str | None:
        try:
            data, answer = test.input.encode(), test.output.encode()
        except UnicodeEncodeError:
            return "is no text (a lone surrogate)"
        if "\0" in test.input or "\0" in test.output:
            return "holds NUL"
        if is_cut(test.input) or is_cut(test.output):
            return 'is cut off (ends in "...")'
        if len(data) + len(answer) > self._config.most_test_bytes:
            return f"larger than {self._config.most_test_bytes} bytes"
        why = None if self._config.cjk is Cjk.KEEP else filters.inspect(data, answer)
        if why is None:
            return None
        rule = why.split(": ")[1]  # "input: a placeholder instead of data: '略'"
        if self._config.cjk is Cjk.DROP:
            return f"prose: {rule}"
        self._report.doubts.add(f"a test may be prose: {rule}", id_)
        return None

    def _store(self, store: Path, item: Item, inline: Inline) -> str:
        """Write the package and return its path. Its name holds a hash of the tests: other tests get another name."""
        packed = inline.pack()
        digest = hashlib.sha256(packed.encode()).hexdigest()[:8]
        name = re.sub(r"[^A-Za-z0-9]+", "-", item.id).strip("-")[:60] or "problem"
        path = store.expanduser().absolute() / f"{name}-{digest}"
        if not path.exists():
            write_package(inline, path, title=item.title, statement=item.statement)
        return str(path)


def _require_known(item: Item) -> None:
    """Raises Unusable if the judge does not know the package of this problem."""
    try:
        problems.load(item.reference or "")
    except ProblemError:
        raise Unusable(
            "its tests are a package that the judge does not know: import it under its id, and set JUDGE_PROBLEMS"
        ) from None


def _read_text(path: Path) -> str:
    try:
        return path.expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"data.testlib: {path} cannot be read ({error})") from error


def _unpack(text: str) -> Inline:
    try:
        return unpack(text)
    except DataError:
        raise Unusable("its tests are in no form that we write") from None


def _decimal(test: Sample) -> bool:
    """Whether a number with a point is among the first words of the answer."""
    words = (word.lstrip("+-") for word in re.split(r"[\s,\[\]]+", test.output[:_LOOKED_AT]))
    return any("." in word and word.replace(".", "", 1).isdecimal() for word in words)


def _longest(tests: list[Sample], most: int | None) -> list[Sample]:
    """The `most` longest tests, in their order; None: all."""
    if most is None or len(tests) <= most:
        return tests
    chosen = sorted(range(len(tests)), key=lambda index: -len(tests[index].input))[:most]
    return [tests[index] for index in sorted(chosen)]


def _question(item: Item) -> str:
    """The statement as the model gets it, with the samples added if they are not in it."""
    title = f"# {item.title}\n\n" if item.title and item.title not in item.statement[:200] else ""
    text = title + item.statement.strip()
    whole = squeeze(text)
    if item.answer is None and not all(squeeze(one.input) in whole for one in item.samples[:_MOST_SHOWN]):
        text = f"{text}\n\n{shown.show_samples(item.samples, item.statement)}"
    if item.conversations:
        text = f"{text}\n\n{shown.show_conversations(item.conversations, item.statement)}"
    if item.function is None:
        return text
    return f"{text}\n\n{shown.ask_for_function(item.function.name, item.starter, item.statement)}"
