"""Sinol packages, of the Polish olympiads (SIO2, oioioi): a folder with in/ and out/.

config.yml      title, time_limit (ms), memory_limit (kB), time_limits and memory_limits by group or test, scores by
                group, extra_compilation_files, extra_compilation_args, extra_execution_files, sinol_expected_scores,
                subtask_dependencies: {2: [1]} scores the tests of group 1 as if they were in group 2, too
in/abc1a.in     the test 1a of the problem abc, in group 1; out/abc1a.out. Group 0, and tests with ocen, are examples
prog/           abc.cpp a solution, abcs*.cpp slow, abcb*.cpp wrong, abcchk.cpp the checker, abcinwer.cpp, abcingen.cpp
doc/abczad.pdf  the statement
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from problems.importing.draft import Draft, of_folders
from problems.importing.keys import Foreign, Points
from problems.importing.source import HEADERS, REFUSED, natural
from problems.importing.understood import may_decide
from problems.model import (
    SECOND_NS,
    Aggregation,
    Comparison,
    Convention,
    Grader,
    Group,
    Limits,
    Mode,
    Problem,
)

_CONFIG = "config.yml"
_TEST = re.compile(r"([0-9]++)([a-z0-9]*+)")
#: Without a checker: oicompare.
COMPARISON = Comparison(mode=Mode.TOKENS_BY_EVERY_LINE)
#: What it is where a package says nothing.
_TIME_MS, _MEMORY_KB = 10_000, 66_000
_STATUS = {"OK": "AC", "WA": "WA", "TL": "TLE", "ML": "MLE", "RE": "RE", "OLE": "OLE"}

Milliseconds = Annotated[int, Field(gt=0, le=10**7)]
Kilobytes = Annotated[int, Field(gt=0, le=1 << 34)]
Names = str | tuple[str, ...]


class StatusYaml(Foreign):
    status: str | None = None
    points: Any = None


class ExpectedYaml(Foreign):
    expected: dict[str, StatusYaml] = Field(default_factory=dict)
    points: Any = None


class ConfigYaml(Foreign):
    UNREAD = """
    interactive sinol_contest_type sinol_static_tests sinol_undocumented_time_tool
    sinol_undocumented_test_limits sinol_latex_compiler sinol_total_score testrun_soc fake_time no_outgen
    """

    title: str | None = None
    sinol_task_id: str | None = None
    time_limit: Milliseconds = _TIME_MS
    memory_limit: Kilobytes = _MEMORY_KB
    time_limits: dict[str, Milliseconds] = Field(default_factory=dict)
    memory_limits: dict[str, Kilobytes] = Field(default_factory=dict)
    scores: dict[str, Points] | None = None
    subtask_dependencies: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    extra_compilation_files: tuple[str, ...] = ()
    extra_compilation_args: dict[str, Names] = Field(default_factory=dict)
    extra_execution_files: dict[str, Names] = Field(default_factory=dict)
    sinol_expected_scores: dict[str, ExpectedYaml] = Field(default_factory=dict)
    override_limits: Any = None
    library: Any = None
    num_processes: Annotated[int, Field(ge=1, le=100)] = 1
    sinol_task_type: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_titles(cls, given: object) -> object:
        """Without title_pl, title_en and the like."""
        if not isinstance(given, dict):
            return given
        return {key: value for key, value in given.items() if not str(key).startswith("title_")}


def _is_package(directory: Path) -> bool:
    return all((directory / name).is_dir() for name in ("in", "out")) and (
        (directory / _CONFIG).is_file() or (directory / "prog").is_dir()
    )


def _read(draft: Draft) -> Problem:
    source, path = draft.source, draft.path
    config = source.read_yaml(source.inside(path), ConfigYaml) if path.is_file() else ConfigYaml()
    short = config.sinol_task_id or draft.title
    draft.title = config.title or short
    if config.library:
        what = "library, which is compiled with each submission, is not imported"
        raise draft.error(what, "write extra_compilation_files", "library")
    if config.sinol_task_type not in (None, "normal"):
        what = f"sinol_task_type {config.sinol_task_type[:40]!r} is not imported"
        raise draft.error(what, "write it by hand", "sinol_task_type")
    if config.override_limits:
        draft.lose("override_limits is not imported", "remove it")
    if config.num_processes > 1:
        what = "num_processes: several processes with one interactor are not imported"
        raise draft.error(what, "write it by hand", "num_processes")
    _add_tests(draft, config, short)
    limits = draft.take_usual_limits()
    prog = {file.stem: file for file in draft.list_files("prog") if file.suffix not in (*HEADERS, ".e", ".sh")}
    for suffix in ("soc", "shi"):
        if (file := prog.get(f"{short}{suffix}")) is not None:
            raise source.tree.error(file, "is an interactor, which is not imported", "write one for testlib")
    for suffix in ("inwer", "ingen"):
        if (file := prog.get(f"{short}{suffix}")) is not None:
            source.note(file, "is not imported: judging needs no generator and no validator of inputs")
    draft.assume("a test passed within its limits counts whole, also near its limit of time")
    chosen = prog.get(f"{short}chk")
    checker = COMPARISON if chosen is None else source.checker(chosen, Convention.SINOL)
    grader = _grader(draft, config)
    _add_statement(draft, short)
    _add_solutions(draft, config, short, prog)
    return replace(draft.build("pl"), title={"pl": draft.title}, limits=limits, checker=checker, grader=grader)


def _pair_files(draft: Draft) -> list[tuple[Path, Path]]:
    """Inputs lie in in/, answers in out/."""
    found = []
    answers = {path.name: path for path in draft.list_files("out")}
    for path in draft.list_files("in"):
        if path.suffix != ".in":
            continue
        answer = answers.get(f"{path.stem}.out")
        if answer is None:
            what = "has no answer in out/: the package holds no generated data"
            draft.source.lose(path, what, "make it (sinol-make outgen, or a solution)")
            continue
        found.append((path, answer))
    if not found:
        remedy = "make them (sinol-make ingen, outgen)"
        raise draft.source.tree.error(draft.directory / "in", "has no test cases", remedy)
    return found


def _add_tests(draft: Draft, config: ConfigYaml, short: str) -> None:
    source = draft.source
    #: Number, letters, and files of each test, by the number of its group.
    by_group: dict[str, list[tuple[str, Path, Path]]] = {}
    known: set[str] = set()
    for given, answer in _pair_files(draft):
        match = _TEST.fullmatch(given.stem.removeprefix(short)) if given.stem.startswith(short) else None
        if match is None:
            raise source.tree.error(given, f"is no test of {short}", f"call it {short}1a.in, say")
        number, letters = str(int(match[1][:9])), match[2]
        test = match[1] + letters
        known |= {number, test}
        if number == "0" or "ocen" in letters:
            draft.add_test(given, answer, test, "sample", limits=_limits(config, number, test))
        else:
            by_group.setdefault(number, []).append((test, given, answer))
    if not by_group:
        raise source.tree.error(draft.directory / "in", "has examples alone", "add tests of group 1")
    numbers = sorted(by_group, key=natural)
    for key in ("time_limits", "memory_limits"):
        for name in getattr(config, key):
            if name not in known:
                draft.lose(f"{key}: there is no group and no test {name[:40]!r}", "correct it", key, name)
    points = _points(draft, config, numbers)
    names = {number: f"secret/{int(number[:9]):03}" for number in numbers}
    checked = any(path.stem == f"{short}chk" for path in draft.list_files("prog"))
    needed = _find_needed(draft, config, names, checked=checked)
    for number in numbers:
        group = names[number]
        draft.groups.append(
            Group(name=group, points=points[number], aggregation=Aggregation.MIN, requires=needed.get(group, ()))
        )
        for name, given, answer in by_group[number]:
            draft.add_test(given, answer, name, group, limits=_limits(config, number, name))


def _points(draft: Draft, config: ConfigYaml, groups: list[str]) -> dict[str, float]:
    stated = config.scores
    if not stated:  # 100 in equal parts, what is left to the last groups
        share, left = divmod(100, len(groups))
        return {group: float(share + (index >= len(groups) - left)) for index, group in enumerate(groups)}
    missing = [group for group in groups if group not in stated]
    if missing:
        raise draft.error(f"scores: group {missing[0]} has none", "state it")
    for group, points in stated.items():
        if points and group not in groups:
            what = f"scores: group {group[:40]!r} has no tests that count"
            raise draft.error(what, "add its tests, or remove it")
    return {group: stated[group] for group in groups}


def _find_needed(
    draft: Draft, config: ConfigYaml, names: Mapping[str, str], *, checked: bool
) -> dict[str, tuple[str, ...]]:
    """The groups that each group needs, by our names. They must be passed whole: points of a part of a needed group
    are not handed on. `checked`: a checker may give such a part."""
    stated = config.subtask_dependencies
    for group, needs in stated.items():
        for one in (group, *needs):
            if one not in names:
                what = f"subtask_dependencies: group {one[:40]!r} has no tests that count"
                raise draft.error(what, "correct it")
    found = {names[group]: tuple(names[one] for one in needs) for group, needs in stated.items()}
    try:
        list(TopologicalSorter(found).static_order())
    except CycleError:
        raise draft.error("subtask_dependencies go round in a circle", "break it") from None
    if found and checked:
        what = "subtask_dependencies beside a checker: a needed group that it passes in part counts as not passed"
        draft.lose(what, "let the checker give all or nothing")
    return found


def _limits(config: ConfigYaml, group: str, test: str) -> Limits:
    """Those of the test, else of its group, else of all."""

    def nearest(stated: Mapping[str, int], usual: int) -> int:
        return stated.get(test, stated.get(group, usual))

    return Limits(
        cpu_ns=nearest(config.time_limits, config.time_limit) * SECOND_NS // 1000,
        memory_bytes=nearest(config.memory_limits, config.memory_limit) * 1024,
    )


def _grader(draft: Draft, config: ConfigYaml) -> Grader | None:
    """Files that are compiled along with each submission, or lie beside it: those that the arguments of the compiler
    name, too."""
    beside = _list_names(config.extra_execution_files)
    for name in beside:
        if not name.endswith(".py"):
            what = f"extra_execution_files: {name[:40]!r} is not imported"
            draft.source.lose_grader(Path(name), draft.path, what)
    extra = [*config.extra_compilation_files, *(name for name in beside if name.endswith(".py"))]
    files = [draft.find(name, draft.directory / "prog") for name in extra]
    compiled = _list_names(config.extra_compilation_args)
    for name in compiled:
        if name.startswith("-"):
            draft.lose(f"argument {name[:40]!r} of the compiler is not imported", "remove it")
    files += [draft.find(name, draft.directory / "prog") for name in compiled if not name.startswith("-")]
    return draft.source.grader(dict.fromkeys(files), None) if files else None


def _list_names(by_language: Mapping[str, Names]) -> dict[str, None]:
    """Each name once."""
    return dict.fromkeys(
        name for names in by_language.values() for name in ((names,) if isinstance(names, str) else names)
    )


def _add_statement(draft: Draft, short: str) -> None:
    for language, end in (("pl", "zad"), ("en", "zad-en")):
        file = draft.directory / "doc" / f"{short}{end}.pdf"
        if file.is_file():
            draft.add_statement(language, draft.source.inside(file))
            return


def _add_solutions(draft: Draft, config: ConfigYaml, short: str, prog: Mapping[str, Path]) -> None:
    rule = re.compile(rf"{re.escape(short)}[0-9]*+([bs]?)[0-9]*+(?:_[A-Za-z0-9_]*+)?")
    for stem, path in prog.items():
        match = rule.fullmatch(stem)
        if match is not None and not may_decide(stem.removeprefix(short), ()):
            draft.add_known(path, _read_expected(config, path) or (REFUSED if match[1] else frozenset({"AC"})))


def _read_expected(config: ConfigYaml, path: Path) -> frozenset[str]:
    """What sinol_expected_scores say; empty: nothing. A submission's verdict is that of a test that it fails."""
    stated = config.sinol_expected_scores.get(path.name)
    rows = stated.expected.values() if stated is not None else ()
    found = {_STATUS.get(row.status or "", "") for row in rows} - {""}
    return frozenset(found - {"AC"} or found)


FORMAT = of_folders(
    name="sinol",
    holds="a sinol package (in/, out/ and config.yml or prog/)",
    is_problem=_is_package,
    read=_read,
    head=_CONFIG,
)
