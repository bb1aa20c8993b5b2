"""Luogu: the zip of test data (NAME.in, NAME.out, config.yml, checker.cpp), the problem's JSON, its export as Markdown,
or these together in one folder, where the zip may be packed. Without test data the samples are the tests.

    config.yml      by the name of an input or answer: timeLimit (ms), memoryLimit (KB), score, subtaskId, isPretest
    *.json          pid, title, content{background, description, formatI, formatO, hint}, samples, limits{time, memory};
                    testCases, and how points are added up (`luogu_scores`)
    *.md            the statement
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from problems.files.tree import PICTURES, TEXT_BYTES, Tree
from problems.files.wrong import explain
from problems.files.yamlfile import read_map
from problems.importing.draft import Draft
from problems.importing.keys import Foreign
from problems.importing.luogu_scores import score_tests, strategies
from problems.importing.source import Format, Source, clean, pairs
from problems.model import (
    SECOND_NS,
    Checker,
    Comparison,
    Convention,
    Grader,
    Group,
    Limits,
    Mode,
    Problem,
    Program,
    TestCase,
)
from problems.reading.grouping import pass_fail_groups
from problems.text.statement import samples

_MS = SECOND_NS // 1000
_LIBRARY = "interactive_lib.cpp"
#: By which a checker of testlib is an interactor.
_INTERACTS = b"registerInteraction"
_KIB = 1024


class CaseYaml(Foreign):
    timeLimit: int | None = Field(default=None, gt=0, le=10**7)
    memoryLimit: int | None = Field(default=None, gt=0, le=1 << 34)
    score: int | None = Field(default=None, ge=0, le=10**9)
    subtaskId: int | None = Field(default=None, ge=0, le=10**6)
    isPretest: bool = False


class ContentJson(Foreign):
    name: str = ""
    background: str | None = ""
    description: str | None = ""
    formatI: str | None = ""
    formatO: str | None = ""
    hint: str | None = ""


class LimitsJson(Foreign):
    time: tuple[Annotated[int, Field(gt=0, le=10**7)], ...] = ()
    memory: tuple[Annotated[int, Field(gt=0, le=1 << 34)], ...] = ()


class TestCaseJson(Foreign):
    __test__ = False

    inputFileName: str
    timeLimit: int | None = Field(default=None, gt=0, le=10**7)
    memoryLimit: int | None = Field(default=None, gt=0, le=1 << 34)
    fullScore: int | None = Field(default=None, ge=0, le=10**9)
    subtaskId: int | None = Field(default=None, ge=0, le=10**6)
    isPretest: bool = False


class ProblemJson(Foreign):
    pid: str
    title: str = ""
    content: ContentJson | None = None
    samples: tuple[tuple[str, str], ...] = ()
    limits: LimitsJson = LimitsJson()
    # Older exports hold the content's parts themselves.
    background: str | None = ""
    description: str | None = ""
    inputFormat: str | None = ""
    outputFormat: str | None = ""
    hint: str | None = ""
    #: What the pages of the tests hold.
    testCases: tuple[TestCaseJson, ...] = ()
    scoringStrategy: Any = None
    subtaskScoringStrategies: Any = None


_SECTIONS = (
    ("题目背景", "background"),
    ("题目描述", "description"),
    ("输入格式", "formatI"),
    ("输出格式", "formatO"),
    ("说明/提示", "hint"),
)


_SUFFIXES = (".in", ".out", ".ans", ".json", ".md", ".h")
_OF_TESTS = ("testCases", "scoringStrategy", "subtaskScoringStrategies")


def _read_description(path: Path) -> ProblemJson | None:
    """What the file says of a problem; None: it is no problem of Luogu's."""
    try:
        if path.stat().st_size > TEXT_BYTES:
            return None
        data: Any = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None
    beside: dict[str, Any] = {}  # what the pages of the tests hold lies beside the problem
    for key in ("data", "currentData", "problem"):
        if isinstance(data, dict) and isinstance(data.get(key), dict):
            beside |= {name: data[name] for name in _OF_TESTS if name in data}
            data = data[key]
    if not isinstance(data, dict) or "pid" not in data:
        return None
    try:
        return ProblemJson.model_validate(beside | data)
    except ValidationError:
        return None


def _files(source: Source) -> dict[str, Path]:
    return {path.name: path for path in source.entries(source.tree.root) if path.is_file()}


def _recognises(source: Source) -> bool:
    files = _files(source)
    if "config.yml" in files and any(name.endswith(".in") for name in files):
        return True
    if any(path.suffix == ".json" and _read_description(path) is not None for path in files.values()):
        return True
    written = [path for path in files.values() if path.suffix == ".md"]
    alone = all(path.suffix in (".md", ".zip", *PICTURES) for path in source.entries(source.tree.root))
    return alone and bool(written) and bool(samples(source.text(written[0])))


def _problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
    name, found = clean(source.name), None
    for path in _files(source).values():
        if found is None and path.suffix == ".json" and (found := _read_description(path)) is not None:
            source.seen.add(path)
            name = clean(found.pid)
    yield name, partial(_read, Draft.begin(source, name, source.tree.root), found)


def _read(draft: Draft, described: ProblemJson | None) -> Problem:
    source = draft.source
    data = _data(source)
    files = _files(data)
    _tell_others(source)
    if data is not source:
        _tell_others(data)
    found = pairs(data, data.tree.root)
    statement = _add_statement(draft, data, described)
    for given, answer in described.samples if described else ():
        draft.add_sample(given, answer)
    if not draft.samples:
        draft.add_shown_samples()
    if not found and not draft.samples:
        raise data.tree.error(data.tree.root, "has no test cases", "put NAME.in and NAME.out beside it")
    if found:
        config = _config(data, files) | _set_on_site(data, described, files)
        stated = [_of_test(data, config, *files_) for files_ in found]
        tests, groups = _tests(data, found, stated, described)
        draft.tests += tests
        draft.groups += groups
        limits = _limits(data, described, found, stated)
    else:
        draft.note("only the samples are tests: it has no test data, which the site keeps")
        draft.groups += pass_fail_groups({"sample": len(draft.samples)})
        shown = [(case.input, case.input) for case in draft.samples]
        limits = _limits(source, described, shown, [CaseYaml()] * len(shown))
    usual = Counter(limits.values()).most_common(1)[0][0]
    draft.tests = [
        replace(case, limits=None if limits[case.input] == usual else limits[case.input]) for case in draft.tests
    ]
    checker, interactor, grader = _programs(data, files)
    return replace(
        draft.build("zh"),
        title={"zh": _title(source, described, statement) or draft.name},
        limits=usual,
        checker=checker,
        kind="interactive" if interactor else "batch",
        interactor=interactor,
        grader=grader,
        source=f"https://www.luogu.com.cn/problem/{described.pid}" if described else "",
    )


def _data(source: Source) -> Source:
    """Where the test data lie: beside the description, or in a zip there."""
    files = _files(source)
    packed = [path for path in files.values() if path.suffix == ".zip"]
    if not packed or any(name.endswith(".in") for name in files):
        return source
    data = source.unzip(packed[0])
    source.seen.add(packed[0])
    for other in packed[1:]:
        source.lose_file(other, "is a second zip file", "remove it")
    inside = data.entries(data.tree.root)
    if len(inside) == 1 and inside[0].is_dir():  # as most zip tools make it
        return replace(data, tree=Tree(root=inside[0], shown=data.tree.show(inside[0])))
    return data


def _title(source: Source, described: ProblemJson | None, statement: Path | None) -> str:
    if described is not None:
        return described.title or (described.content.name if described.content else "")
    lines = source.text(statement).lstrip().splitlines() if statement is not None else []
    return lines[0].removeprefix("# ").strip()[:200] if lines and lines[0].startswith("# ") else ""


def _programs(source: Source, files: Mapping[str, Path]) -> tuple[Checker, Program | None, Grader | None]:
    """Checker, interactor, and the library that is linked with each submission (interactive_lib.cpp): with main() in it
    submissions define functions, empty it stands for none. A checker that interacts is the interactor."""
    own, library = files.get("checker.cpp"), files.get(_LIBRARY)
    if library is not None:
        source.seen.add(library)
    grader = source.grader([library], None) if library is not None and library.read_bytes().strip() else None
    if own is None:
        return Comparison(mode=Mode.LINES), None, grader
    program = source.checker(own, Convention.TESTLIB)
    if library is not None and _INTERACTS in own.read_bytes():
        return Comparison(), program, grader
    return program, None, grader


def _tell_others(source: Source) -> None:
    files = _files(source)
    for suffix in (".json", ".md"):
        for extra in [path for path in files.values() if path.suffix == suffix][1:]:
            source.lose_file(extra, f"is a second {suffix} file", "remove it")
    for directory in source.entries(source.tree.root):
        if directory.is_dir():
            source.lose_file(
                directory, "is a directory: Luogu's test data have none", "move its files up, or remove it"
            )
    for name, path in files.items():
        known = name in ("config.yml", "checker.cpp", _LIBRARY) or path.suffix in _SUFFIXES or path in source.seen
        if not known:
            source.lose_file(path, "is no file of Luogu's", "remove it")


def _config(source: Source, files: Mapping[str, Path]) -> dict[str, CaseYaml]:
    """By file name."""
    path = files.get("config.yml")
    if path is None:
        return {}
    source.seen.add(path)
    found = {}
    for name, stated in read_map(source.tree, path).items():
        try:
            found[name] = CaseYaml.model_validate(stated)
        except ValidationError as error:
            location, what, remedy = explain(error, stated, CaseYaml, (name,))
            raise source.tree.error(path, what, remedy, source.line_at(path, *location)) from None
        for key in found[name].model_extra or ():
            line = None if source.lenient else source.line_at(path, name, key)
            source.lose(path, f"{name}: key {key!r} is unknown here", "remove it", line)
        if name not in files:
            line = None if source.lenient else source.line_at(path, name)
            source.lose(path, f"{name} is not there", "add the file", line)
        if found[name].isPretest:
            source.assume(path, f"{name}: counts as any test, though it is a pretest")
    return found


def _of_test(source: Source, config: Mapping[str, CaseYaml], input_: Path, answer: Path) -> CaseYaml:
    """What is said of a test, by the name of its input or of its answer.

    Raises:
        ProblemError: both say something of it.
    """
    own, other = config.get(input_.name), config.get(answer.name)
    if own is not None and other is not None and own != other:
        what = f"{input_.name} and {answer.name} are one test, and differ"
        raise source.tree.error(source.tree.root / "config.yml", what, "state it once")
    return own or other or CaseYaml()


def _set_on_site(source: Source, described: ProblemJson | None, files: Mapping[str, Path]) -> dict[str, CaseYaml]:
    """What the page of the tests says of each, by the input's name. It is stronger than config.yml."""
    rows = described.testCases if described else ()
    for row in rows:
        if row.inputFileName not in files:
            source.lose(source.tree.root, f"testCases: {row.inputFileName[:80]} is not there", "add the file")
        if row.isPretest:
            source.assume(source.tree.root, f"{row.inputFileName}: counts as any test, though it is a pretest")
    return {
        row.inputFileName: CaseYaml(
            timeLimit=row.timeLimit, memoryLimit=row.memoryLimit, score=row.fullScore, subtaskId=row.subtaskId
        )
        for row in rows
    }


def _tests(
    source: Source, found: Sequence[tuple[Path, Path]], stated: Sequence[CaseYaml], described: ProblemJson | None
) -> tuple[tuple[TestCase, ...], tuple[Group, ...]]:
    """Test cases without limits, in the order of the groups, and the groups."""
    root = source.tree.root
    scores = [one.score for one in stated]
    if None in scores and any(score is not None for score in scores):
        source.assume(root / "config.yml", f"a test without a score has {100 / len(found):g} points")
    points = [100 / len(found) if score is None else float(score) for score in scores]
    whole, subtasks = (described.scoringStrategy, described.subtaskScoringStrategies) if described else (None, None)
    strategy = strategies(source, root if described else root / "config.yml", whole, subtasks)
    return score_tests(source, found, points, [one.subtaskId for one in stated], strategy)


def _limits(
    source: Source, described: ProblemJson | None, found: Sequence[tuple[Path, Path]], stated: Sequence[CaseYaml]
) -> dict[Path, Limits]:
    """The limits of each test by its input: what config.yml says, else the JSON, else what is usual on the site."""
    json_ = described.limits if described else LimitsJson()
    time = _for_each(source, json_.time, len(found), 1000, "time")
    memory = _for_each(source, json_.memory, len(found), 512 * 1024, "memory")
    for given, usual, own in (
        (json_.time, "a time limit of 1 s", [one.timeLimit for one in stated]),
        (json_.memory, "a memory limit of 512 MiB", [one.memoryLimit for one in stated]),
    ):
        if not given and None in own:
            source.assume(source.tree.root, f"{usual}, where none is stated")
    return {
        input_: Limits(
            cpu_ns=(time[index] if one.timeLimit is None else one.timeLimit) * _MS,
            memory_bytes=(memory[index] if one.memoryLimit is None else one.memoryLimit) * _KIB,
        )
        for index, ((input_, _), one) in enumerate(zip(found, stated, strict=True))
    }


def _for_each(source: Source, given: Sequence[int], count: int, usual: int, what: str) -> Sequence[int]:
    """The JSON states the limits of the tests in their order, or one for all."""
    if len(given) == count:
        return given
    if len(set(given)) > 1:
        source.assume(source.tree.root, f"the largest {what} limit of the JSON for every test: it has {len(given)}")
    return [max(given, default=usual)] * count


def _add_statement(draft: Draft, data: Source, described: ProblemJson | None) -> Path | None:
    """Add the statement. Returns its file, if it is one of the source."""
    found = (path for each in (draft.source, data) for path in _files(each).values() if path.suffix == ".md")
    written = next(found, None)
    parts = []
    if described is not None:
        content = described.content or ContentJson(
            background=described.background,
            description=described.description,
            formatI=described.inputFormat,
            formatO=described.outputFormat,
            hint=described.hint,
        )
        parts = [f"## {title}\n\n{text.strip()}\n" for title, key in _SECTIONS if (text := getattr(content, key))]
    if parts:
        draft.add_statement("zh", "\n".join(parts))
    elif written is not None:
        draft.add_statement("zh", written)
    return None if parts else written


FORMAT = Format(
    name="luogu",
    holds="Luogu's test data (config.yml, *.in), problem JSON or Markdown",
    recognises=_recognises,
    problems=_problems,
)
