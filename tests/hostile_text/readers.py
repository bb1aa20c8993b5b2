"""What reads text from outside, called as it is called in earnest, and texts that are its worst cases."""

from __future__ import annotations

import io
import json
import tomllib
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from containers import Outcome, Termination, Usage
from containers.errors import ContainerError
from judge import languages
from judge.checkers import compare, conventions, difference, words
from judge.cli import results
from judge.common import text
from judge.common.errors import CheckerError, ConfigError, JudgeError
from judge.compiling import headers, held, meaning, source, toolchain
from judge.languages import extraction, spans
from judge.languages.options import with_options
from judge.many import rows
from problems import lookup, validate
from problems.errors import ProblemError, nearest
from problems.files import archive, entry
from problems.files.languages import suffixes
from problems.files.tree import VALID_NAME, Tree
from problems.files.yamlfile import read_yaml
from problems.importing import fps, keys, polygon_tests, understood
from problems.model import Comparison, Mode
from problems.reading import comparison, entries, generated, legacy, package, programs, submission_rules, submissions
from problems.reading.metadata import ProblemYaml, split_words
from problems.strength import calls, commands, cpp, shape, shared
from problems.strength import inputs as strength_inputs
from problems.text import filters
from problems.text.constants import substitute
from problems.writing import recipes
from problems.writing import tests as adding
from tests.hostile_text.worst import stretched
from trainer_adapter.audit import signs
from trainer_adapter.data import item, references
from trainer_adapter.data.item import Unusable
from trainer_adapter.examples import duplicates, layouts
from trainer_adapter.integrations import core
from trainer_adapter.rewards import gsm8k, llm_judge
from trainer_adapter.rollouts.row import Rollout
from trainer_adapter.rollouts.selection import contamination, files, held_out, normal_form
from trainer_adapter.rollouts.selection.source import _clearly_over

Text = str | bytes
Make = Callable[[int], Text]
#: What may be said of a text, instead of reading it.
REFUSALS = (JudgeError, ProblemError, ContainerError, item.Unusable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    #: Which text it is, and whose.
    text: str
    places: tuple[str, ...] = ()
    meet: Callable[[Any], object]
    #: It is met as bytes.
    raw: bool = False
    #: Those that the expressions at its places do not tell.
    cases: Mapping[str, Make] = field(default_factory=dict)
    #: Whether the expressions at its places are asked for theirs.
    derived: bool = True


def _repeated(meeting: str) -> Mapping[str, Make]:
    """The cases of repeated.toml."""
    seeds = [("", one, "") if isinstance(one, str) else tuple(one) for one in _REPEATED[meeting]]
    return {repr("".join(seed))[:40]: partial(stretched, seed) for seed in seeds}


_REPEATED = tomllib.loads(Path(__file__).with_name("repeated.toml").read_text(encoding="utf-8"))


def _numbered(line: str) -> Make:
    """Lines that differ."""

    def make(size: int) -> str:
        return "".join(line.format(number) for number in range(size // (len(line) + 4)))

    return make


# --- sources


def _source(family: str, given: bytes) -> None:
    source.clean(b"freopen\n" + given, family=family, limit_bytes=1 << 40)


def _mutated(given: bytes) -> None:
    shared._DECIMAL.fullmatch(given)
    cpp._WIDE.fullmatch(given)
    cpp._RESETS.search(given)
    cpp._HARMLESS.search(given)


_VARIED = (
    *("problems.strength.inputs:_NUMBER", "problems.strength.inputs:_LITERAL", "problems.strength.values:_INTEGER"),
    *("problems.strength.shape:_COUNT", "problems.strength.shape:_NUMBER"),
    *("problems.strength.calls:vary", "problems.strength.calls:smaller"),
    *("problems.strength.commands:_NUMBER", "problems.strength.commands:_CHOICE"),
    *("problems.writing.tests:_NUMBERED", "problems.writing.tests:_UNNAMEABLE"),
    *("problems.writing.recipes:_PLAIN", "problems.writing.recipes:_LEADS"),
)


def _varied(given: bytes) -> None:
    strength_inputs.numbers([given])
    small, chance = given[: strength_inputs.MOST_BYTES], Random(1)
    next(strength_inputs.neighbours([small], 1), None)
    strength_inputs.meet_literals(small, chance, strength_inputs.find_literals([given]) or (2,))
    for found in shape.shapes([small, small + b"1\n"]):
        found.draw(chance)
        found.fits(small)
    calls.vary(small, chance)
    calls.smaller(small[:200])
    text = given.decode("utf-8", "replace")
    commands._CHOICE.findall(text)
    commands._NUMBER.fullmatch(text)
    adding._NUMBERED.fullmatch(text)
    adding._UNNAMEABLE.sub("-", text)
    recipes._PLAIN.fullmatch(text)
    recipes._LEADS.fullmatch(text)


def _headers(given: bytes) -> None:
    found = headers.leading_headers(given)
    headers.without(given, found.keys())
    headers._line(given, headers._MENTIONS_ALL)


def _said(given: bytes) -> None:
    """What a compiler writes: the program chooses much of it."""
    outcome = Outcome(
        termination=Termination.EXITED,
        exit_code=1,
        signal=None,
        usage=Usage(cpu_ns=0, wall_ns=0, memory_bytes=0),
        stderr=given,
        isolation=None,  # type: ignore[arg-type]  # nobody asks
    )
    language = languages.get("cpp17")
    verdict = meaning.verdict_of(outcome, b"", toolchain.limits(language))
    meaning.diagnostics(outcome, verdict, language, Path("/var/cache/judge/x"), {})
    for pattern in (toolchain._KILLED, headers.FAILURES, held._OTHERWISE):
        pattern.search(given)
    held._FROM.sub(b"", given)
    conventions.own_name(given.decode("utf-8", "replace"), "check.cpp")


def _words(given: str) -> None:
    """What a checker says, by each site's parser."""
    for share in (words.hydro_share, words.uoj_share, words.coci_share, words.dmoj_share):
        share(given, 100.0)
    for said in (given, f"points {given}", f"partially correct ({given}"):
        words.lemon_share(said, 100.0)
    conventions._FRACTION.fullmatch(given)
    words.number(given)
    words.lemon_points(given)
    words.ratio(f"Ratio: {given}")


def _options(given: str) -> None:
    for option in (given, f"-D{given}", f"-DX={given}", f"-std={given}"):
        with suppress(ConfigError):
            with_options(languages.get("cpp17"), [option])


def _imported_names(given: str) -> None:
    for pattern in (understood._DECIDES, understood._WORDS, fps._DROP):
        pattern.sub("", given)
    for pattern in (understood._ASIDE, understood._BESIDE, understood._DECIDER):
        pattern.fullmatch(given)
    fps._STATED_POINTS.match(given)


def _lines_of_json(given: str) -> None:
    with suppress(ValueError):  # it is asked of what JSON's own reader took
        keys.line_of_value(given, ("a", 0, "b"))


# --- completions and rows


def _completion_row(given: str) -> None:
    rows._parse(1, json.dumps({"problem": "P1001", "completion": given}).encode(), "cpp17")


def _prompt(given: str) -> None:
    extraction.extract("x", "cpp17", prompt=given)
    extraction.extract("x", "cpp17", prompt=[{"role": "user", "content": given}])


def _fenced(size: int) -> str:
    return "```" + "c" * size + "\nint x;\n```\n"


def _tags(size: int) -> str:
    return _numbered("```c{}" + "+-" * 15 + "\nx\n```\n")(size)


def _word_problem(given: str) -> None:
    for reward in gsm8k.REWARDS:
        reward([given, f"<answer>{given}</answer>"], answer=["#### 1", given])


def _task(given: bytes) -> None:
    core._row(given.decode(errors="replace"))
    with suppress(ValueError, RecursionError):  # the server answers these with 400
        json.loads(given)


def _rated(given: bytes) -> None:
    with suppress(llm_judge.NoRating):
        llm_judge.rating(given.decode(errors="replace"))


def _normal(given: str) -> None:
    for family in ("c++", "python"):
        normal_form.normal_form(given, family)


def _look_for_signs(given: str) -> None:
    for family in ("c++", "python"):
        tokens = normal_form.normal_form(given, family)
        signs.Look(tokens, given, Rollout()).signs(signs.Watched(answers={"42": "1"}, tests=1), 10**9)


def _seen(given: str) -> None:
    benchmarks = contamination.Benchmarks(contamination.Lengths())
    benchmarks.add(given[:10_000], "benchmark")
    benchmarks.matches(given)


def _example(given: str) -> None:
    seen = duplicates.Seen(0.9)
    seen.add([given])
    seen.add([given[:10_000]])
    layouts.reader({"chosen": given, "rejected": given}, pairs=True)
    with suppress(Unusable):
        list(layouts._read_preferred({"chosen": f"\n\nHuman: {given}", "rejected": f"\n\nHuman:{given} x"}))


def _rollout(given: bytes) -> None:
    for read in (lambda: list(files.objects([given], "rollouts")), lambda: held_out._name(given, "held out")):
        with suppress(JudgeError):
            read()


def _detail(given: str) -> None:
    _clearly_over({"verdict": "TLE", "detail": given})


_COMPLETIONS = _repeated("completion") | {"a long tag": _fenced, "different tags": _tags}


#: Each with beginnings of its own of what goes over lines.
_FAMILIES = ("c++", "rust", "javascript", "csharp", "ruby", "ocaml", "r")


def _followed(family: str, given: str) -> None:
    within = None
    for line in given.splitlines(keepends=True):
        within = spans.follow(family, line, within)


def _row(given: bytes) -> None:
    references.programs({"solution": given.decode("utf-8", "replace")}, references.RIGHT, 3)
    rows._parse(1, given, "cpp17")
    with TemporaryDirectory() as directory:
        path = Path(directory, "results.jsonl")
        path.write_bytes(given + b"\n")
        with results.Results(path, resume=True):
            pass


_DEEP = {
    "deep lists": lambda size: b"[" * size,
    "deep objects": lambda size: b'{"a":' * (size // 5),
    "digits": lambda size: b'{"id": ' + b"9" * size + b"}",
    "fraction": lambda size: b'{"id": 0.' + b"9" * size + b"}",
    "exponent": lambda size: b'{"id": 1e' + b"9" * size + b"}",
    "escapes": lambda size: b'{"id": "' + b"\\ud800" * (size // 6) + b'"}',
    "backslashes": lambda size: b'{"id": "' + b"\\" * size + b'"}',
    "a long key": lambda size: b'{"' + b"i" * size + b'": 1}',
    "many keys": lambda size: json.dumps({f"sourc{n}": 1 for n in range(size // 15)}).encode(),
    "many long keys": lambda size: json.dumps({f"completion{n}{'e' * 40}": 1 for n in range(size // 65)}).encode(),
    "a language": lambda size: json.dumps({"problem": "P1001", "source": "x", "language": "c" * size}).encode(),
}


# --- outputs


def _compared(rule: Comparison, given: bytes) -> None:
    """As output and as answer, with an end of its own; and beside the same with other white space."""
    pairs = ((given, given + b" x"), (given + b" x", given), (given, given.replace(b" ", b"\n").replace(b"0", b"1")))
    for output, answer in pairs:
        compare.compare(output, answer, rule)


def _value(given: bytes) -> None:
    """As an answer, and as what a function returned."""
    for output, answer in ((given + b" x", given), (given, b"[1]")):
        with suppress(CheckerError):
            compare.compare(output, answer, Comparison(mode=Mode.JSON))


#: Comparisons that refuse an answer which is not of their form.
_READ_ANSWERS = frozenset({Mode.YESNO, Mode.JSON})
_RULES = {
    **{mode.value: Comparison(mode=mode, presentation_error=True) for mode in Mode if mode not in _READ_ANSWERS},
    "a tolerance": Comparison(mode=Mode.FLOAT, absolute_tolerance=1e-6, relative_tolerance=1e-6),
    "numbers by line": Comparison(mode=Mode.TOKENS_BY_LINE, absolute_tolerance=1e-6),
    "tokens and spaces": Comparison(mode=Mode.TOKENS, space_sensitive=True),
    "numbers and spaces": Comparison(mode=Mode.TOKENS, space_sensitive=True, absolute_tolerance=1e-9),
}
_OUTPUTS = _repeated("output") | {"different tokens": _numbered("{} "), "different lines": _numbered("{}\n")}
_OUTPUT_PLACES = (
    "judge.checkers.compare:_LINE_END",
    "judge.checkers.compare:_LAST_BLANKS",
    "judge.checkers.numbers:_NUMBER",
    "judge.checkers.numbers:parse",
    "judge.checkers.resync:_BLANK",
    *(f"judge.checkers.stream:{name}" for name in ("TOKENS", "RUNS", "LINES", "FILLED_LINES", "SPACED_LINES")),
)


def _shown(given: bytes) -> None:
    difference.show(given)
    words = given.decode("utf-8", "replace")
    text.harmless(words)
    text.one_line(words)


# --- packages

_TREE = Tree(Path("/nowhere"), "package")
_YAML = _TREE.root / "problem.yaml"


def _file(name: str, read: Callable[[Tree], object], given: str) -> None:
    """A package that has one file."""
    with TemporaryDirectory() as directory:
        path = Path(directory, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(given, encoding="utf-8", errors="surrogatepass")
        read(Tree(Path(directory), "package"))


def _recipes(tree: Tree) -> None:
    generated.read_recipes(tree)
    recipes.with_recipe(tree.read_text(tree.root / "generators/generators.yaml"), "secret/2", "gen.py")


_FILES: Mapping[str, Callable[[Tree], object]] = {
    "problem.yaml": package.read_metadata,
    "domjudge-problem.ini": legacy.read_domjudge_ini,
    ".timelimit": legacy.side_time_limit,
    "judge.yaml": package._extension,
    "generators/generators.yaml": _recipes,
    "generators/sha256sums": generated.read_sums,
    "submissions/submissions.yaml": submissions._rules,
    "submissions/accepted/a.cpp": lambda tree: submissions._read_tags(tree.root / "submissions/accepted/a.cpp"),
}
_FILE_CASES = _repeated("file of a package") | {
    "different keys": _numbered("k{} = v\n"),
    "different patterns": _numbered("'*{{a{0},b,c}}*': {{}}\n"),
    "different cases": _numbered("- {}: gen.py\n"),
}


def _yaml(given: str) -> None:
    read_yaml(_TREE, _YAML, ProblemYaml, given)


def _author(given: str) -> None:
    legacy.from_yaml(_TREE, "name: x\nauthor: " + json.dumps(given))


def _validator(given: str) -> None:
    path = Path("validate.cpp")
    programs._STARTS.search(given)
    programs._convention({path: given})
    programs._main(_TREE, (path,), {path: given}, None)
    polygon_tests._TESTLIBS.search(given.encode("utf-8", "replace"))
    polygon_tests._READS_ANSWER.search(given.encode("utf-8", "replace"))
    programs._beginnings({Path("a.py"): given, Path("b.py"): given})
    for suffix in (*suffixes(), ".x"):
        named = Path(f"a{suffix}"), given.encode("utf-8", "replace")
        entry.entry([named, named])


def _constants(given: str) -> None:
    with suppress(ProblemError):
        substitute(given.encode("utf-8", "replace"), (("x", "y"), ("a", given)), "test_group.yaml")


def _names(given: str) -> None:
    """Of files, groups, problems: what a package calls them."""
    for name in (given[:255], given):
        VALID_NAME.fullmatch(name)
        entries._JUDGES.fullmatch(name)
        package._STATEMENT.fullmatch(name)
        validate._UUID.fullmatch(name)
        validate._DIRECTORY.fullmatch(name)
        comparison._FLOAT.fullmatch(name)
        for arguments in (("float_tolerance", name), (name,)):
            with suppress(ValueError):
                comparison.from_arguments(arguments)
    lookup._natural(given[:255])


def _recipe(given: str) -> None:
    recipe = generated.Recipe(name="secret/1", group="secret", entry=given, numbered=True)
    recipe.check(_TREE)
    generated.fresh(_TREE, (recipe,), {given})
    split_words(given)
    split_words(f"'{given}")


def _reference(given: str) -> None:
    lookup.find(given)


def _unknown(given: str) -> None:
    nearest(given, [given + "x"])
    languages.get(given)


def _rules(given: str) -> None:
    with TemporaryDirectory() as directory:
        path = Path(directory, "submissions.yaml")
        path.write_text(json.dumps({given: {"permitted": ["AC"]}}))
        for pattern in submission_rules.read_rules(Tree(Path(directory), "package"), path):
            for name in ("accepted/" + "a" * 250, "accepted/std.cpp"):
                submission_rules.matches(pattern, name)


def _pattern(size: int) -> str:
    """One that is not too long yet."""
    return "accepted/" + "*a" * 495


def _zip(names: list[str], size: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        length = 0
        for name in names:
            made.writestr(name, b"")
            length += 2 * len(name) + 100
            if length > size:
                break
    return buffer.getvalue()


def _unzipped(given: bytes) -> None:
    with TemporaryDirectory() as directory:
        path = Path(directory, "package.zip")
        path.write_bytes(given)
        archive.unpack(path)


# --- data sets


def _case(given: str) -> None:
    filters.inspect(given.encode("utf-8", "surrogatepass"), b"1\n")
    filters.inspect(b"1\n", given.encode("utf-16", "surrogatepass"))
    filters.inspect(given.encode("gbk", "ignore"), b"1\n")


def _echoed(size: int) -> str:
    return "".join(chr(0x4E00 + n % 20000) + " " for n in range(size // 4))


#: A row of each schema all of whose texts are one.
