"""SYZOJ and LibreOJ: data.yml beside the test files, or without it a special judge that its name tells.

data.yml    subtasks [{score, type sum|min|mul, cases [...]}], inputFile "dat#.in", outputFile "dat#.ans", userOutput
            "dat#.out" (an answer to be submitted), specialJudge and interactor {language, fileName}, extraSourceFiles
            [{language, files [{name, dest}]}]
spj_cpp17.cpp   without data.yml, the special judge, by its language; tests are NAME.in with NAME.out or NAME.ans
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from problems.files.languages import by_suffix
from problems.importing.draft import Draft, of_source
from problems.importing.keys import Foreign, Points
from problems.importing.source import HEADERS, Source, cases, clean, pairs
from problems.model import Aggregation, Checker, Comparison, Convention, Grader, Group, Mode, Problem, Program, TestCase

_HEAD = "data.yml"
_AGGREGATION = {"sum": Aggregation.SUM, "min": Aggregation.MIN, "mul": Aggregation.PRODUCT}


class SubtaskYaml(Foreign):
    score: Points
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


def _find_head(source: Source) -> Path | None:
    """data.yml, or the directory of tests that has a special judge instead."""
    root = source.tree.root
    places = [place for place in (root, root / "data", root / "testdata") if place.is_dir()]
    stated = next((path for place in places if (path := place / _HEAD).is_file()), None)
    return stated or next((place for place in places if _special(place) and any(place.glob("*.in"))), None)


def _special(place: Path) -> Path | None:
    """The special judge of tests without data.yml."""
    found = (path for path in sorted(place.glob("spj_*")) if by_suffix(path.suffix) and path.is_file())
    return next(found, None)


def _read(draft: Draft) -> Problem:
    source, path = draft.source, draft.path
    if (special := _special(path) if path.is_dir() else None) is None:
        data = source.read_yaml(path, DataYaml)
        draft.directory = path.parent
        _add_tests(draft, data)
    else:
        data = DataYaml(subtasks=(), specialJudge=ProgramYaml(fileName=special.name))
        draft.directory = path
        draft.tests += cases(pairs(source, path))
        draft.count_tests(100.0)
    named = {file for case in draft.tests for file in (case.input, case.answer)}
    for other in draft.list_files():
        if other not in named and other.suffix in (".in", ".out", ".ans"):
            source.lose_file(other, "is in no subtask", "name it in data.yml, or remove it")
    if (statement := source.file("statement.md")) is not None:
        draft.add_statement("zh", statement)
    if data.userOutput is None:  # outputs are for all tests
        draft.add_shown_samples()
    draft.assume("limits of 1 s and 256 MiB, which are not in it")
    return replace(
        draft.build("zh"),
        directory=source.tree.root,
        checker=_checker(draft, data),
        kind="interactive" if data.interactor else "batch" if data.userOutput is None else "submit-answer",
        interactor=None if data.interactor is None else _program(draft, data.interactor),
        grader=_beside(draft, data),
    )


def _add_tests(draft: Draft, data: DataYaml) -> None:
    if data.outputFile is None and data.specialJudge is None and data.interactor is None:
        raise draft.error("has no outputFile, and no program that judges without it", "name the answers")

    def find(pattern: str | None, case: str) -> Path:
        """An empty file where there is no pattern."""
        return draft.make("no-file", b"") if pattern is None else draft.find(pattern.replace("#", case))

    for index, subtask in enumerate(data.subtasks, 1):
        group = f"secret/{index:03}"
        files = [(find(data.inputFile, case), find(data.outputFile, case)) for case in subtask.cases]
        if not files:
            raise draft.error(f"subtask {index} has no cases", "name them")
        made: Iterable[TestCase] = cases(files, group)
        if data.userOutput is not None:
            made = draft.hand_in(made, (data.userOutput.replace("#", case) for case in subtask.cases))
        draft.tests += made
        draft.groups.append(Group(name=group, points=subtask.score, aggregation=_AGGREGATION[subtask.type]))


def _checker(draft: Draft, data: DataYaml) -> Checker:
    if data.specialJudge is not None and data.interactor is None:
        return _program(draft, data.specialJudge)
    if data.interactor is None:
        draft.assume("output compared by lines")
        return Comparison(mode=Mode.LINES)
    return Comparison()


def _program(draft: Draft, stated: ProgramYaml) -> Program:
    program = draft.source.checker(draft.find(stated.fileName), Convention.SYZOJ)
    draft.lose_reader(program)
    return program


def _beside(draft: Draft, data: DataYaml) -> Grader | None:
    """Headers that submissions include, under the names that they have there."""
    headers: list[Path] = []
    for extra in data.extraSourceFiles:
        for one in extra.files:
            file, dest = draft.find(one.name), clean(one.dest)
            if Path(dest).suffix not in HEADERS:
                what = f"extraSourceFiles: {one.dest[:60]!r} is no header of C or C++"
                draft.source.lose_grader(file, draft.path, what)
            elif dest not in {header.name for header in headers}:
                headers.append(file if file.name == dest else draft.make(f"beside/{dest}", file.read_bytes()))
    return draft.source.grader(headers, None) if headers else None


FORMAT = of_source(name="syzoj", holds="SYZOJ's data.yml", find_head=_find_head, read=_read, head=_HEAD)
