"""Lemon and LemonLime: a contest in a file NAME.cdf (JSON), and the tests below data/.

NAME.cdf    tasks: problemTitle, sourceFileName, inputFileName, outputFileName, standardInputCheck, standardOutputCheck,
            taskType, comparisonMode, realPrecision, specialJudge, and testCases: fullScore, timeLimit (ms),
            memoryLimit (MiB), inputFiles, outputFiles. A test case of several files earns the least of them; numbers
            among its input files name test cases that it depends on.
source/     of each contestant a directory of programs, which are no part of the problems
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import partial
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Annotated, assert_never

from pydantic import Field

from problems.importing.draft import Draft
from problems.importing.keys import Foreign
from problems.importing.source import Format, Source, clean
from problems.model import (
    MIB,
    SECOND_NS,
    Aggregation,
    Checker,
    Comparison,
    Convention,
    FileIO,
    Grader,
    Group,
    Limits,
    Mode,
    Problem,
    ScoringScript,
)

_NEEDS = "_lemon_SUbtaskDEPENDENCE_fLAg"
#: Of test cases of whose points a special judge may give a part: they count unless one that they depend on is lost.
_BEGIN, _END = "@total_score = 0;", "@final_status = AC; @final_time = 0; @final_memory = 0;"
_OF_CASE = """
@ok = 1;
{needs}
if @ok == 1; then @total_score = @total_score + @score{number}; fi
if @status{number} != AC and @score{number} == 0; then @ok = 0; fi
@ok{number} = @ok;
"""
_OF_NEED = "if @ok{need} == 0; then @ok = 0; fi"
_DATA = "data"


class Kind(IntEnum):
    TRADITIONAL = 0
    ANSWERS_ONLY = 1
    INTERACTION = 2
    COMMUNICATION = 3
    COMMUNICATION_EXEC = 4


class Compared(IntEnum):
    LINES = 0
    IGNORING_SPACES = 1
    DIFF = 2
    REAL_NUMBERS = 3
    SPECIAL_JUDGE = 4
    TESTLIB = 5


_CONVENTIONS = {Compared.SPECIAL_JUDGE: Convention.LEMON, Compared.TESTLIB: Convention.LEMON_TESTLIB}


class TestCaseJson(Foreign):
    __test__ = False  # not a pytest class

    fullScore: Annotated[int, Field(ge=0, le=10**9)]
    timeLimit: Annotated[int, Field(ge=0, le=10**7)] = 1000
    memoryLimit: Annotated[int, Field(ge=0, le=1 << 20)] = 256
    inputFiles: tuple[str, ...]
    outputFiles: tuple[str, ...]


class TaskJson(Foreign):
    """The defaults are those of LemonLime, which passes over what is not there."""

    UNREAD = """
    sourceFilesPath sourceFilesName graderFilesPath graderFilesName subFolderCheck compilerConfiguration
    """

    problemTitle: str = ""
    sourceFileName: str = ""
    inputFileName: str = ""
    outputFileName: str = ""
    standardInputCheck: bool = False
    standardOutputCheck: bool = False
    taskType: Kind = Kind.TRADITIONAL
    comparisonMode: Compared = Compared.IGNORING_SPACES
    realPrecision: Annotated[int, Field(ge=0, le=300)] = 3
    diffArguments: str = ""
    specialJudge: str = ""
    interactor: str = ""
    interactorName: str = ""
    grader: str = ""
    answerFileExtension: str = "out"
    testCases: tuple[TestCaseJson, ...] = ()

    @property
    def name(self) -> str:
        return clean(self.sourceFileName or PurePosixPath(self.inputFileName).stem or self.problemTitle)


class ContestJson(Foreign):
    UNREAD = "version contestTitle contestants"

    tasks: tuple[TaskJson, ...]


def _file(source: Source) -> Path | None:
    found = (path for path in source.entries(source.tree.root) if path.suffix == ".cdf" and path.is_file())
    return next(found, None)


def _problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
    path = _file(source)
    if path is None:
        return
    source.aside.add(source.tree.root / "source")
    with path.open("rb") as file:
        if not file.read(64).lstrip().startswith(b"{"):
            remedy = "open it in LemonLime and save it again, which writes JSON"
            raise source.tree.error(path, "is the binary form of old Lemons", remedy)
    for task in source.read_json(path, ContestJson).tasks:
        yield task.name, partial(_read, Draft.begin(source, task.name, path), task)


def _read(draft: Draft, task: TaskJson) -> Problem:
    if task.taskType in (Kind.COMMUNICATION, Kind.COMMUNICATION_EXEC):
        what = f"task {draft.name}: a communication of several sources is not imported"
        raise draft.error(what, "make its sources one grader in include/")
    draft.title = task.problemTitle or draft.name
    _add_tests(draft, task)
    files = FileIO(
        input=None if task.standardInputCheck else task.inputFileName or None,
        output=None if task.standardOutputCheck else task.outputFileName or None,
    )
    answers_only = task.taskType is Kind.ANSWERS_ONLY
    limits = draft.take_usual_limits()
    return replace(
        draft.build("zh"),
        limits=limits,
        checker=_checker(draft, task),
        kind="submit-answer" if answers_only else "batch",
        grader=_grader(draft, task) if task.taskType is Kind.INTERACTION else None,
        file_io=None if answers_only or files == FileIO() else files,
    )


def _find_data(draft: Draft, name: str) -> Path:
    """A file below data/; a contest that was made on Windows may separate names by backslashes."""
    return draft.find(name.replace("\\", "/"), draft.directory / _DATA)


def _add_tests(draft: Draft, task: TaskJson) -> None:
    for number, stated in enumerate(task.testCases, 1):
        group = f"secret/{number:03}"
        where = f"task {task.name}: test case {number}"
        needs = [name.removesuffix(_NEEDS) for name in stated.inputFiles if name.endswith(_NEEDS)]
        inputs = [name for name in stated.inputFiles if not name.endswith(_NEEDS)]
        if len(inputs) != len(stated.outputFiles) or not inputs:
            what = f"{where} has {len(inputs)} inputs and {len(stated.outputFiles)} outputs"
            raise draft.error(what, "give each input its output")
        for need in needs:
            if not (need.isascii() and need.isdecimal() and 0 < int(need[:9]) < number):
                raise draft.error(f"{where} depends on {need[:40]!r}, which is none before it", "correct it")
        limits = Limits(cpu_ns=stated.timeLimit * SECOND_NS // 1000 or 1, memory_bytes=stated.memoryLimit * MIB or MIB)
        full = float(stated.fullScore) if task.comparisonMode in _CONVENTIONS and stated.fullScore else 1.0
        for index, names in enumerate(zip(inputs, stated.outputFiles, strict=True), 1):
            given, answer = (_find_data(draft, name) for name in names)
            stem = f"{index:0{len(str(len(inputs)))}}"
            draft.add_test(given, answer, stem, group, full_score=full, limits=limits)
        requires = tuple(f"secret/{int(need):03}" for need in needs)
        made = Group(name=group, points=float(stated.fullScore), aggregation=Aggregation.MIN, requires=requires)
        draft.groups.append(made)
    if not draft.tests:
        raise draft.error(f"task {task.name} has no test cases", "add them in LemonLime")
    if task.comparisonMode in _CONVENTIONS and any(group.requires for group in draft.groups):
        draft.groups = _depending(draft.groups)
    if task.taskType is Kind.ANSWERS_ONLY:
        draft.tests = draft.hand_in(draft.tests, (f"{case.input.stem}.out" for case in draft.tests))


def _depending(groups: Sequence[Group]) -> list[Group]:
    """Test cases of which a part of the points is no failure to those that depend on them."""
    numbers = {group.name: number for number, group in enumerate(groups, 1)}
    text = _BEGIN
    for group in groups:
        needs = "\n".join(_OF_NEED.format(need=numbers[need]) for need in group.requires)
        text += _OF_CASE.format(number=numbers[group.name], needs=needs)
    script = ScoringScript(text=text + _END, numbers=MappingProxyType(numbers))
    inner = [replace(group, requires=(), within="secret") for group in groups]
    return [Group(name="secret", points=math.fsum(group.points for group in groups), script=script), *inner]


def comparison(mode: Compared, digits: int) -> Comparison | None:
    """How LemonLime compares by itself, real numbers to so many digits; None: a program compares."""
    match mode:
        case Compared.LINES:
            return Comparison(mode=Mode.FULL_LINES)
        case Compared.IGNORING_SPACES:
            return Comparison(mode=Mode.TOKENS_BY_EVERY_LINE)
        case Compared.REAL_NUMBERS:
            return Comparison(mode=Mode.FLOAT, absolute_tolerance=10.0**-digits, relative_tolerance=10.0**-digits)
        case Compared.DIFF | Compared.SPECIAL_JUDGE | Compared.TESTLIB:
            return None
        case _:
            assert_never(mode)


def _checker(draft: Draft, task: TaskJson) -> Checker:
    rule = comparison(task.comparisonMode, task.realPrecision)
    if rule is not None:
        return rule
    if task.comparisonMode is Compared.DIFF:
        what = f"task {task.name}: diff {task.diffArguments[:40]!r} is not imported"
        raise draft.error(what, "choose another comparison in LemonLime")
    return draft.source.checker(_find_source(draft, task.specialJudge), _CONVENTIONS[task.comparisonMode])


def _find_source(draft: Draft, name: str) -> Path:
    """The source of a program, which a contest names as compiled. It may lie in a directory of its own name."""
    base = name.replace("\\", "/").removesuffix(".exe")
    for suffix in ("", ".cpp", ".c", ".py", f"/{base.split('/')[-1]}.cpp"):
        parts = (part for part in f"{base}{suffix}".split("/") if part not in ("", ".", ".."))
        found = draft.source.file(_DATA, *parts)
        if found is not None and found.suffix in (".cpp", ".cc", ".c", ".py"):
            return found
    raise draft.error(f"the source of {name!r} is not there", f"put {base.split('/')[-1]}.cpp beside it")


def _grader(draft: Draft, task: TaskJson) -> Grader:
    """Of function style: the grader holds main(); submissions include the header, which is called `interactorName`."""
    made = draft.source.grader([_find_source(draft, task.grader)], None)
    if made is None:
        raise draft.error(f"grader {task.grader!r} is of no language that we know", "C or C++ is")
    header = named = _find_data(draft, task.interactor)
    if task.interactorName and task.interactorName != header.name:
        named = draft.make(clean(task.interactorName), header.read_bytes())
    return replace(made, files={kind: (*files, named) for kind, files in made.files.items()})


FORMAT = Format(
    name="lemon",
    holds="a contest of Lemon or LemonLime (.cdf)",
    recognises=lambda source: _file(source) is not None,
    problems=_problems,
)
