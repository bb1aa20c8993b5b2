"""SYZOJ and LibreOJ: data.yml beside the test files, or without it a special judge that its name tells.

data.yml    subtasks [{score, type sum|min|mul, cases [...]}], inputFile "dat#.in", outputFile "dat#.ans", userOutput
            "dat#.out" (an answer to be submitted), specialJudge and interactor {language, fileName}, extraSourceFiles
            [{language, files [{name, dest}]}]
spj_cpp17.cpp   without data.yml, the special judge, by its language; tests are NAME.in with NAME.out or NAME.ans
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from problems.files.languages import by_suffix
from problems.importing.keys import Foreign
from problems.importing.source import HEADERS, Format, Source, cases, clean, handed_in, pairs, sample_cases
from problems.model import Aggregation, Checker, Comparison, Convention, Grader, Group, Mode, Problem, Program, TestCase
from problems.text.statement import samples as statement_samples

_AGGREGATION = {"sum": Aggregation.SUM, "min": Aggregation.MIN, "mul": Aggregation.PRODUCT}


class SubtaskYaml(Foreign):
    score: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
    #: Without one the site's judge has no score for it.
    type: Literal["sum", "min", "mul"]
    cases: tuple[str, ...]


class ProgramYaml(Foreign):
    language: str = ""
    fileName: str


class FileYaml(Foreign):
    name: str
    dest: str


class ExtraYaml(Foreign):
    language: str
    files: tuple[FileYaml, ...]


class DataYaml(Foreign):
    subtasks: tuple[SubtaskYaml, ...]
    inputFile: str | None = None
    outputFile: str | None = None
    userOutput: str | None = None
    specialJudge: ProgramYaml | None = None
    interactor: ProgramYaml | None = None
    extraSourceFiles: tuple[ExtraYaml, ...] = ()
    # The site does not read it.
    fullScore: Any = None


def _place(source: Source) -> Path | None:
    root = source.tree.root
    places = [place for place in (root, root / "data", root / "testdata") if place.is_dir()]
    stated = next((place for place in places if (place / "data.yml").is_file()), None)
    return stated or next((place for place in places if _special(place) and any(place.glob("*.in"))), None)


def _special(place: Path) -> Path | None:
    """The special judge of tests without data.yml."""
    found = (path for path in sorted(place.glob("spj_*")) if by_suffix(path.suffix) and path.is_file())
    return next(found, None)


def _problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
    yield clean(source.name), partial(_read, source)


def _read(source: Source) -> Problem:
    place = _place(source) or source.tree.root
    path = place / "data.yml"
    if path.is_file() or (special := _special(place)) is None:
        data = source.read_yaml(path, DataYaml)
        tests, groups = _tests(source, place, path, data)
    else:
        judge = ProgramYaml(fileName=special.name)
        path, data = place, DataYaml(subtasks=(), specialJudge=judge)
        tests, groups = cases(pairs(source, place)), (Group(name="secret", points=100.0),)
    named = {file for case in tests for file in (case.input, case.answer)}
    for other in source.entries(place):
        if other not in named and other.suffix in (".in", ".out", ".ans"):
            source.lose_file(other, "is in no subtask", "name it in data.yml, or remove it")
    name = clean(source.name)
    written = source.file("statement.md")
    statement = written or source.make(f"{name}/problem.zh.md", f"# {name}\n")
    shown = statement_samples(source.text(statement)) if data.userOutput is None else ()  # outputs are for all tests
    samples = sample_cases(source, ((one.input, one.output) for one in shown), name)
    source.assume(path, "limits of 1 s and 256 MiB, which are not in it")
    return Problem(
        name=name,
        directory=source.tree.root,
        title={"zh": name},
        checker=_checker(source, place, path, data),
        kind="interactive" if data.interactor else "batch" if data.userOutput is None else "submit-answer",
        interactor=None if data.interactor is None else _program(source, place, path, data.interactor),
        grader=_beside(source, place, path, data),
        groups=((Group(name="sample", counted=False),) if samples else ()) + groups,
        cases=samples + tests,
        statements={"zh": statement},
    )


def _tests(source: Source, place: Path, path: Path, data: DataYaml) -> tuple[tuple[TestCase, ...], tuple[Group, ...]]:
    if data.outputFile is None and data.specialJudge is None and data.interactor is None:
        raise source.tree.error(path, "has no outputFile, and no program that judges without it", "name the answers")

    def find(pattern: str | None, case: str) -> Path:
        """An empty file where there is no pattern."""
        return (
            source.make("no-file", b"")
            if pattern is None
            else source.find_named(place, pattern.replace("#", case), path)
        )

    tests: list[TestCase] = []
    groups: list[Group] = []
    for index, subtask in enumerate(data.subtasks, 1):
        group = f"secret/{index:03}"
        found = [(find(data.inputFile, case), find(data.outputFile, case)) for case in subtask.cases]
        if not found:
            raise source.tree.error(path, f"subtask {index} has no cases", "name them")
        made = cases(found, group)
        if data.userOutput is not None:
            names = handed_in(source, path, (data.userOutput.replace("#", case) for case in subtask.cases))
            made = tuple(replace(case, name=f"{group}/{name}") for case, name in zip(made, names, strict=True))
        tests += made
        groups.append(Group(name=group, points=subtask.score, aggregation=_AGGREGATION[subtask.type]))
    return tuple(tests), tuple(groups)


def _checker(source: Source, place: Path, path: Path, data: DataYaml) -> Checker:
    if data.specialJudge is not None and data.interactor is None:
        return _program(source, place, path, data.specialJudge)
    if data.interactor is None:
        source.assume(path, "output compared by lines")
        return Comparison(mode=Mode.LINES)
    return Comparison()


def _program(source: Source, place: Path, path: Path, stated: ProgramYaml) -> Program:
    program = source.checker(source.find_named(place, stated.fileName, path), Convention.SYZOJ)
    if b'"code"' in program.sources[0].read_bytes():
        source.lose(program.sources[0], "reads the source of the submission, which it does not get here", "drop that")
    return program


def _beside(source: Source, place: Path, path: Path, data: DataYaml) -> Grader | None:
    """Headers that submissions include, under the names that they have there."""
    headers: list[Path] = []
    for extra in data.extraSourceFiles:
        for one in extra.files:
            file = source.find_named(place, one.name, path)
            dest = clean(one.dest)
            if Path(dest).suffix not in HEADERS:
                source.lose_grader(file, path, f"extraSourceFiles: {one.dest[:60]!r} is no header of C or C++")
            elif dest not in {header.name for header in headers}:
                headers.append(file if file.name == dest else source.make(f"beside/{dest}", file.read_bytes()))
    return source.grader(headers, None) if headers else None


FORMAT = Format(
    name="syzoj",
    holds="SYZOJ's data.yml",
    recognises=lambda source: _place(source) is not None,
    problems=_problems,
)
