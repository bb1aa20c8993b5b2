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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from problems.importing.keys import Foreign
from problems.importing.source import REFUSED, Format, Source, clean, natural, with_usual_limits
from problems.model import (
    SECOND_NS,
    Aggregation,
    Checker,
    Comparison,
    Convention,
    Grader,
    Group,
    LabelledSubmission,
    Limits,
    Mode,
    Problem,
    TestCase,
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
Points = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
Names = str | tuple[str, ...]


class StatusYaml(Foreign):
    status: str | None = None
    points: Any = None


class ExpectedYaml(Foreign):
    expected: dict[str, StatusYaml] = Field(default_factory=dict)
    points: Any = None


class ConfigYaml(Foreign):
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
    interactive: Any = None
    # What the verdict does not depend on.
    sinol_contest_type: Any = None
    sinol_static_tests: Any = None
    sinol_undocumented_time_tool: Any = None
    sinol_undocumented_test_limits: Any = None
    sinol_latex_compiler: Any = None
    sinol_total_score: Any = None
    testrun_soc: Any = None
    fake_time: Any = None
    no_outgen: Any = None

    @model_validator(mode="before")
    @classmethod
    def _without_titles(cls, given: object) -> object:
        """Without title_pl, title_en and the like."""
        if not isinstance(given, dict):
            return given
        return {key: value for key, value in given.items() if not str(key).startswith("title_")}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Package:
    source: Source
    root: Path
    path: Path
    short: str
    config: ConfigYaml


def _recognises(source: Source) -> bool:
    return _is_package(source.tree.root) or any(_is_package(child) for child in source.entries(source.tree.root))


def _is_package(directory: Path) -> bool:
    return all((directory / name).is_dir() for name in ("in", "out")) and (
        (directory / _CONFIG).is_file() or (directory / "prog").is_dir()
    )


def _problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
    root = source.tree.root
    if _is_package(root):
        yield clean(source.name), partial(_read, source, root, source.name)
        return
    for child in source.entries(root):
        if _is_package(child):
            yield clean(child.name), partial(_read, source, child, child.name)


def _read(source: Source, root: Path, name: str) -> Problem:
    path = root / _CONFIG
    config = source.read_yaml(source.inside(path), ConfigYaml) if path.is_file() else ConfigYaml()
    package = _Package(source=source, root=root, path=path, short=config.sinol_task_id or name, config=config)
    if config.library:
        what = "library, which is compiled with each submission, is not imported"
        raise source.tree.error(path, what, "write extra_compilation_files", source.line_at(path, "library"))
    if config.override_limits:
        source.lose(path, "override_limits is not imported", "remove it")
    if config.num_processes > 1:
        what = "num_processes: several processes with one interactor are not imported"
        raise source.tree.error(path, what, "write it by hand", source.line_at(path, "num_processes"))
    found = {input_.stem: (input_, answer) for input_, answer in _pairs(package)}
    tests, groups = _tests(package, found)
    limits, tests = with_usual_limits(tests)
    prog = {file.stem: file for file in source.entries(root / "prog") if file.suffix not in (".h", ".hpp", ".e", ".sh")}
    for suffix in ("soc", "shi"):
        if (file := prog.get(f"{package.short}{suffix}")) is not None:
            raise source.tree.error(file, "is an interactor, which is not imported", "write one for testlib")
    for suffix in ("inwer", "ingen"):
        if (file := prog.get(f"{package.short}{suffix}")) is not None:
            source.note(file, "is not imported: judging needs no generator and no validator of inputs")
    source.assume(path, "a test passed within its limits counts whole, also near its limit of time")
    return Problem(
        name=clean(name),
        directory=root,
        title={"pl": config.title or package.short},
        limits=limits,
        checker=_checker(package, prog),
        grader=_grader(package),
        groups=groups,
        cases=tests,
        statements=_statements(package, clean(name)),
        submissions=tuple(_solutions(package, prog)),
    )


def _pairs(package: _Package) -> list[tuple[Path, Path]]:
    """Inputs lie in in/, answers in out/."""
    source, found = package.source, []
    answers = {path.name: path for path in source.entries(package.root / "out")}
    for path in source.entries(package.root / "in"):
        if path.suffix != ".in":
            continue
        answer = answers.get(f"{path.stem}.out")
        if answer is None:
            what = "has no answer in out/: the package holds no generated data"
            source.lose(path, what, "make it (sinol-make outgen, or a solution)")
            continue
        found.append((path, answer))
    if not found:
        raise source.tree.error(package.root / "in", "has no test cases", "make them (sinol-make ingen, outgen)")
    return found


def _tests(package: _Package, found: Mapping[str, tuple[Path, Path]]) -> tuple[tuple[TestCase, ...], tuple[Group, ...]]:
    source, examples = package.source, list[TestCase]()
    by_group: dict[str, list[TestCase]] = {}
    for stem, (input_, answer) in found.items():
        match = _TEST.fullmatch(stem.removeprefix(package.short)) if stem.startswith(package.short) else None
        if match is None:
            raise source.tree.error(input_, f"is no test of {package.short}", f"call it {package.short}1a.in, say")
        number, letters = match.groups()
        made = TestCase(
            name="", group="", input=input_, answer=answer, limits=_limits(package, number, number + letters)
        )
        if not int(number[:9]) or "ocen" in letters:
            examples.append(replace(made, name=f"sample/{number}{letters}", group="sample", sample=True))
        else:
            group = f"secret/{int(number[:9]):03}"
            by_group.setdefault(number, []).append(replace(made, name=f"{group}/{number}{letters}", group=group))
    if not by_group:
        raise source.tree.error(package.root / "in", "has examples alone", "add tests of group 1")
    points = _points(package, sorted(by_group, key=natural))
    needed = _find_needed(package, {number: tests[0].group for number, tests in by_group.items()})
    groups = [
        Group(
            name=tests[0].group,
            points=points[number],
            aggregation=Aggregation.MIN,
            requires=needed.get(tests[0].group, ()),
        )
        for number, tests in sorted(by_group.items(), key=lambda one: natural(one[0]))
    ]
    tests = [case for group in groups for cases in by_group.values() if cases[0].group == group.name for case in cases]
    samples = (Group(name="sample", counted=False),) if examples else ()
    return (*examples, *tests), (*samples, *groups)


def _points(package: _Package, groups: list[str]) -> dict[str, float]:
    stated = package.config.scores
    if not stated:  # 100 in equal parts, what is left to the last groups
        share, left = divmod(100, len(groups))
        return {group: float(share + (index >= len(groups) - left)) for index, group in enumerate(groups)}
    missing = [group for group in groups if group not in stated]
    if missing:
        raise package.source.tree.error(package.path, f"scores: group {missing[0]} has none", "state it")
    for group, points in stated.items():
        if points and group not in groups:
            what = f"scores: group {group[:40]!r} has no tests that count"
            raise package.source.tree.error(package.path, what, "add its tests, or remove it")
    return {group: stated[group] for group in groups}


def _find_needed(package: _Package, names: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The groups that each group needs, by our names. They must be passed whole: points of a part of a needed group
    are not handed on."""
    source, stated = package.source, package.config.subtask_dependencies
    for group, needs in stated.items():
        for one in (group, *needs):
            if one not in names:
                what = f"subtask_dependencies: group {one[:40]!r} has no tests that count"
                raise source.tree.error(package.path, what, "correct it")
    found = {names[group]: tuple(names[one] for one in needs) for group, needs in stated.items()}
    try:
        list(TopologicalSorter(found).static_order())
    except CycleError:
        raise source.tree.error(package.path, "subtask_dependencies go round in a circle", "break it") from None
    if found and _has_checker(package):
        what = "subtask_dependencies beside a checker: a needed group that it passes in part counts as not passed"
        source.lose(package.path, what, "let the checker give all or nothing")
    return found


def _has_checker(package: _Package) -> bool:
    return any(path.stem == f"{package.short}chk" for path in package.source.entries(package.root / "prog"))


def _limits(package: _Package, group: str, test: str) -> Limits:
    """Those of the test, else of its group, else of all."""
    config = package.config

    def nearest(stated: Mapping[str, int], usual: int) -> int:
        return stated.get(test, stated.get(group, usual))

    return Limits(
        cpu_ns=nearest(config.time_limits, config.time_limit) * SECOND_NS // 1000,
        memory_bytes=nearest(config.memory_limits, config.memory_limit) * 1024,
    )


def _checker(package: _Package, prog: Mapping[str, Path]) -> Checker:
    file = prog.get(f"{package.short}chk")
    if file is None:
        return COMPARISON
    return package.source.checker(file, Convention.SINOL)


def _grader(package: _Package) -> Grader | None:
    """Files that are compiled along with each submission, or lie beside it: those that the arguments of the compiler
    name, too."""
    source, config = package.source, package.config
    beside = _list_names(config.extra_execution_files)
    for name in beside:
        if not name.endswith(".py"):
            source.lose_grader(Path(name), package.path, f"extra_execution_files: {name[:40]!r} is not imported")
    extra = [
        source.find_named(package.root / "prog", name, package.path)
        for name in (*config.extra_compilation_files, *(name for name in beside if name.endswith(".py")))
    ]
    compiled = _list_names(config.extra_compilation_args)
    for name in compiled:
        if name.startswith("-"):
            source.lose(package.path, f"argument {name[:40]!r} of the compiler is not imported", "remove it")
    extra += [
        source.find_named(package.root / "prog", name, package.path) for name in compiled if not name.startswith("-")
    ]
    return source.grader(dict.fromkeys(extra), None) if extra else None


def _list_names(by_language: Mapping[str, Names]) -> dict[str, None]:
    """Each name once."""
    return dict.fromkeys(
        name for names in by_language.values() for name in ((names,) if isinstance(names, str) else names)
    )


def _statements(package: _Package, name: str) -> dict[str, Path]:
    for language, end in (("pl", "zad"), ("en", "zad-en")):
        file = package.root / "doc" / f"{package.short}{end}.pdf"
        if file.is_file():
            return {language: package.source.inside(file)}
    return {"pl": package.source.make(f"{name}/problem.pl.md", f"# {package.config.title or package.short}\n")}


def _solutions(package: _Package, prog: Mapping[str, Path]) -> Iterator[LabelledSubmission]:
    rule = re.compile(rf"{re.escape(package.short)}[0-9]*+([bs]?)[0-9]*+(?:_[A-Za-z0-9_]*+)?")
    for stem, path in prog.items():
        match = rule.fullmatch(stem)
        if match is None:
            continue
        expected = _read_expected(package, path) or (REFUSED if match[1] else frozenset({"AC"}))
        made = package.source.submission(path, expected)
        if made is not None:
            yield made


def _read_expected(package: _Package, path: Path) -> frozenset[str]:
    """What sinol_expected_scores say; empty: nothing. A submission's verdict is that of a test that it fails."""
    stated = package.config.sinol_expected_scores.get(path.name)
    rows = stated.expected.values() if stated is not None else ()
    found = {_STATUS.get(row.status or "", "") for row in rows} - {""}
    return frozenset(found - {"AC"} or found)


FORMAT = Format(
    name="sinol",
    holds="a sinol package (in/, out/ and config.yml or prog/)",
    recognises=_recognises,
    problems=_problems,
)
