"""CMS: a task in the Italian YAML format, or a contest of such tasks.

task.yaml       name, title, time_limit (s), memory_limit (MiB), infile, outfile, n_input, total_value, output_only,
                score_type, score_type_parameters, num_processes, user_io; in Italian: nome_breve, nome, timeout,
                memlimit
input/inputN.txt, output/outputN.txt      the tests, from 0 on
gen/GEN         a line a test (`cms_gen`); gen/valida.* (or validator.*) checks inputs, and decides no verdict
check/checker.cpp (or cor/correttore.cpp), check/manager.cpp, sol/grader.*, sol/stub.*, sol/*.h, statement/statement.pdf
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from problems.files.languages import by_suffix
from problems.importing.contests.cms_gen import Line, Missing, read_gen
from problems.importing.contests.patterns import match_names
from problems.importing.draft import Draft, of_folders
from problems.importing.keys import Foreign, Points
from problems.importing.source import HEADERS, Source, handed_in
from problems.model import (
    MIB,
    MOST_PROCESSES,
    SECOND_NS,
    Aggregation,
    Checker,
    Comparison,
    Convention,
    FileIO,
    Grader,
    Group,
    Limits,
    Manager,
    Mode,
    Problem,
)

_TASK = "task.yaml"
_VALIDATORS = ("valida", "validator")
#: Where an argument of the command line is opened: its number, and how.
_OPENS = re.compile(
    r"""\bf?open\s*+\(\s*+[\w.]++\s*+\[\s*+(\d)\s*+\]\s*+,\s*+["']?+(r|w|a|O_RDONLY|O_WRONLY)(?![\w+])""", re.ASCII
)
_STREAMS = re.compile(r"\b([io])fstream\s++\w++\s*+[({]\s*+\w++\s*+\[\s*+(\d)\s*+\]", re.ASCII)
_SWAPPED = "writes the first of two FIFOs and reads the second"
_MOST_TESTS = 10_000
_SCORE_TYPES = {
    "GroupMin": Aggregation.MIN,
    "GroupMul": Aggregation.PRODUCT,
    "Sum": Aggregation.SUM,
    # All of it for outcomes above 0 and up to the threshold: read where an outcome is 0 or 1.
    "GroupThreshold": Aggregation.MIN,
}

#: Keys of a subtask in score_type_parameters. The last two do not count here.
_ROW = ("max_score", "testcases", "threshold", "always_show_testcases")


class TaskYaml(Foreign):
    UNREAD = """
    public_testcases risultati score_mode score_precision feedback_level version difficulty syllabuslevel
    max_submission_number max_user_test_number min_submission_interval min_user_test_interval token_mode
    token_max_number token_min_interval token_gen_initial token_gen_number token_gen_interval token_gen_max
    token_initial token_total token_max token_gen_time type auxiliary
    """

    name: str | None = None
    nome_breve: str | None = None
    title: str | None = None
    nome: str | None = None
    time_limit: Annotated[float, Field(gt=0, le=10**4, allow_inf_nan=False)] | None = None
    timeout: Annotated[float, Field(gt=0, le=10**4, allow_inf_nan=False)] | None = None
    memory_limit: Annotated[int, Field(gt=0, le=1 << 20)] | None = None
    memlimit: Annotated[int, Field(gt=0, le=1 << 20)] | None = None
    infile: str | None = None
    outfile: str | None = None
    n_input: Annotated[int, Field(gt=0, le=_MOST_TESTS)] | None = None
    total_value: Points = 100.0
    output_only: bool = False
    primary_language: str = "it"
    score_type: str | None = None
    score_type_parameters: Any = None
    num_processes: Annotated[int, Field(ge=1, le=MOST_PROCESSES)] = 1
    user_io: Literal["std_io", "fifo_io"] | None = None
    task_type: str | None = None
    output_only_testcases: str | None = None
    output_optional_testcases: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subtask:
    points: float
    #: Numbers of its tests.
    tests: tuple[int, ...]
    aggregation: Aggregation


def _read(draft: Draft) -> Problem:
    source, directory = draft.source, draft.directory
    task = source.read_yaml(source.inside(draft.path), TaskYaml)
    _refuse_kinds(draft, task)
    short = task.name or task.nome_breve or draft.title
    draft.title = task.title or task.nome or short
    gen = directory / "gen" / "GEN"
    stated = list(read_gen(source, gen)) if gen.is_file() else []
    count, subtasks = _subtasks(draft, gen, task, stated)
    manager = _manager(draft, task)
    grader = _grader(draft, short, "stub" if manager else "grader")
    _add_solutions(draft, grader)
    missing = Missing(
        draft=draft,
        lines=tuple(line for _, lines in stated for line in lines),
        solution=draft.solutions[0].path if draft.solutions else None,
        unanswered="its answer is not what a program prints alone" if manager or grader or task.output_only else None,
    )
    _add_tests(draft, count, subtasks, missing, outputs=task.output_only)
    if missing.made:
        source.note(gen, f"{len(missing.made)} of {count} tests are built at first use; the solution answers them")
    if manager:
        for file in _checkers(directory):
            source.note(file, "is not imported: the manager judges")
    for file in draft.list_files("gen"):  # they get the number of the subtask, too, and fail by their exit code
        if file.stem in _VALIDATORS and by_suffix(file.suffix):
            source.note(file, "is not imported: it checks inputs")
    limits, checker = _limits(draft, task), Comparison() if manager else _checker(source, directory)
    file_io = None if task.output_only or manager else _files(draft, task)
    _add_statement(draft, task.primary_language)
    return replace(
        draft.build("en"),
        title={"en": draft.title},
        limits=limits,
        checker=checker,
        manager=manager,
        kind="submit-answer" if task.output_only else "batch",
        grader=grader,
        file_io=file_io,
        generated=tuple(missing.made),
        solution=missing.solution if missing.made else None,
    )


def _refuse_kinds(draft: Draft, task: TaskYaml) -> None:
    """What a task says of its kind beside the files that CMS goes by.

    Raises:
        ProblemError: it is not as those have it, or of tests that submissions hand in outputs of.
    """
    kind = "OutputOnly" if task.output_only else "Communication" if _managers(draft.directory) else "Batch"
    if task.task_type not in (None, kind):
        what = f"task_type {task.task_type[:40]!r} is not what the files of the task are: {kind}"
        raise draft.error(what, "remove it, or make it a task of that kind", "task_type")
    if task.output_only_testcases:
        what = "output_only_testcases: a program beside outputs of some tests is not imported"
        raise draft.error(what, "make two tasks of it, one of them with output_only", "output_only_testcases")
    if task.output_optional_testcases:
        draft.note("output_optional_testcases: submissions are programs, which answer these tests, too")


def _limits(draft: Draft, task: TaskYaml) -> Limits:
    seconds, mib = task.time_limit or task.timeout, task.memory_limit or task.memlimit
    if not task.output_only and None in (seconds, mib):
        draft.assume("a limit of 1 s or 256 MiB, where none is stated")
    return Limits(cpu_ns=round((seconds or 1.0) * SECOND_NS), memory_bytes=(mib or 256) * MIB)


def _files(draft: Draft, task: TaskYaml) -> FileIO | None:
    """An empty name is the stream; one that is not stated has the format's own."""
    names = {
        key: usual if stated is None else stated or None
        for key, stated, usual in (("infile", task.infile, "input.txt"), ("outfile", task.outfile, "output.txt"))
    }
    if None in (task.infile, task.outfile):
        draft.note("programs read input.txt and write output.txt, as CMS lets them where no name is stated")
    files = FileIO(input=names["infile"], output=names["outfile"])
    return None if files == FileIO() else files


def _subtasks(
    draft: Draft, gen: Path, task: TaskYaml, stated: Sequence[tuple[float | None, tuple[Line, ...]]]
) -> tuple[int, tuple[_Subtask, ...]]:
    """How many tests there are, and the subtasks that hold them. `stated`: in gen/GEN."""
    groups = [(points, len(lines)) for points, lines in stated]
    count = sum(tests for _, tests in groups)
    scored = [task.score_type is not None, task.score_type_parameters is not None, task.n_input is not None]
    if any(scored[:2]) and not all(scored):
        draft.note("score_type does not count: CMS asks for score_type_parameters and n_input beside it")
    if task.n_input is not None and groups and not all(scored) and task.n_input != count:
        what = f"has {count} tests, but n_input is {task.n_input}"
        raise draft.source.tree.error(gen, what, "correct one of them")
    count = task.n_input or count
    if not count:
        raise draft.error("n_input is not there, nor gen/GEN", "say how many tests there are")
    if all(scored):
        return count, tuple(_read_subtasks(draft, task, count))
    if not groups or groups[0][0] is None:
        return count, (_Subtask(points=task.total_value, tests=tuple(range(count)), aggregation=Aggregation.SUM),)
    first, made = 0, []
    for points, tests in groups:
        numbers = tuple(range(first, first + tests))
        made.append(_Subtask(points=points or 0.0, tests=numbers, aggregation=Aggregation.MIN))
        first += tests
    return count, tuple(made)


def _read_subtasks(draft: Draft, task: TaskYaml, count: int) -> Iterator[_Subtask]:
    """Of score_type and score_type_parameters."""
    kind, stated = task.score_type or "", task.score_type_parameters
    if kind not in _SCORE_TYPES:
        raise draft.error(f"score_type {kind[:40]!r} is not imported", f"take one of {', '.join(_SCORE_TYPES)}")
    if kind == "Sum":
        if not isinstance(stated, (int, float)) or isinstance(stated, bool) or not 0 <= stated <= 1e9:
            raise draft.error("score_type_parameters of Sum are no number", "state the points of a test")
        yield _Subtask(points=float(stated) * count, tests=tuple(range(count)), aggregation=Aggregation.SUM)
        return
    rows = _read_rows(draft, kind, stated)
    if kind == "GroupThreshold":
        _refuse_thresholds(draft, stated)
    names = [f"{number:03}" for number in range(count)]
    patterns = [tests for _, tests in rows if isinstance(tests, str)]
    try:
        matches = match_names(patterns, names) if patterns else []
    except ValueError as error:
        raise draft.error(f"a regular expression of score_type_parameters {error}", "correct it") from None
    found = ([number for number, one in enumerate(match) if one is not None] for match in matches)
    first = 0
    for points, stated_tests in rows:
        match stated_tests:
            case str():
                tests = next(found)
            case list():
                tests = [_find_test(draft, names, name) for name in stated_tests]
            case _:
                tests = list(range(first, first + stated_tests))
                first += stated_tests
                if first > count:
                    raise draft.error(f"a subtask of {stated_tests} tests", "there are fewer")
        yield _Subtask(points=points, tests=tuple(tests), aggregation=_SCORE_TYPES[kind])


def _refuse_thresholds(draft: Draft, stated: Sequence[Any]) -> None:
    """Raises ProblemError where GroupThreshold is not what GroupMin is: outcomes between 0 and 1 count there, too."""
    if (file := next(chain(_checkers(draft.directory), _managers(draft.directory)), None)) is not None:
        what = f"score_type 'GroupThreshold' is not imported beside {file.name}, which may give a part of a test"
        raise draft.error(what, "let that decide, with 1.0 or 0.0, and take GroupMin", "score_type")
    found = [row.get("threshold") if isinstance(row, dict) else (*row, None, None)[2] for row in stated]
    if any(not isinstance(threshold, (int, float)) or threshold < 1 for threshold in found):
        what = "GroupThreshold states no threshold of at least 1 for each subtask, and a right output has 1"
        raise draft.error(what, "state it, or take GroupMin", "score_type_parameters")


def _read_rows(draft: Draft, kind: str, stated: object) -> list[tuple[float, int | str | list[Any]]]:
    """The points of each subtask, and its tests: their number, a regular expression of their names, or their names."""
    found = [_read_row(draft, row) for row in stated] if isinstance(stated, list) else []
    rows = [row for row in found if row is not None and not isinstance(row[0], bool)]
    if len(rows) < len(found) or len({type(tests) for _, tests in rows}) != 1:
        what = f"score_type_parameters of {kind} are no list of [points, tests], or state tests in several ways"
        raise draft.error(what, "correct them")
    return rows


def _read_row(draft: Draft, row: object) -> tuple[float, int | str | list[Any]] | None:
    if isinstance(row, dict):
        for key in row.keys() - set(_ROW):
            draft.source.lose_key(draft.path, f"score_type_parameters.{key}", _ROW)
        parts = [row.get("max_score"), row.get("testcases")]
    else:
        parts = row[:2] if isinstance(row, list) else []
    match parts:
        case [int() | float() as points, str() | list() as tests] if 0 <= points <= 1e9:
            return float(points), tests
        case [bool(), _] | [_, bool()]:
            return None
        case [int() | float() as points, int() as tests] if 0 <= points <= 1e9 and 0 <= tests <= _MOST_TESTS:
            return float(points), tests
    return None


def _find_test(draft: Draft, names: Sequence[str], name: object) -> int:
    if name not in names:
        what = f"score_type_parameters name the test {str(name)[:40]!r}, which is none"
        raise draft.error(what, "write its name in quotes: '000' is the first")
    return names.index(str(name))


def _add_tests(draft: Draft, count: int, subtasks: tuple[_Subtask, ...], missing: Missing, *, outputs: bool) -> None:
    places = [draft.directory / each for each in ("input", "output")]
    for number, subtask in enumerate(subtasks, 1):
        group = f"secret/{number:03}" if len(subtasks) > 1 else "secret"
        for test in subtask.tests:
            there = [(place / f"{place.name}{test}.txt").is_file() for place in places]
            if not all(there) and test < len(missing.lines):
                input_ = draft.find(f"input{test}.txt", places[0]) if there[0] else None
                missing.make(test, input_, name=f"{group}/{test:03}", group=group)
                continue
            given, answer = (draft.find(f"{place.name}{test}.txt", place) for place in places)
            draft.add_test(given, answer, f"{test:03}", group)
        if subtask.tests:
            # Tests without points are examples: a submission may fail them and have all points.
            counted = subtask.points > 0
            made = Group(name=group, points=subtask.points, aggregation=subtask.aggregation, counted=counted)
            draft.groups.append(made)
        elif subtask.points:
            raise draft.error(f"subtask {number} has points and no tests", "give it some")
    names = [*(case.name for case in draft.tests), *(case.name for case in missing.made)]
    named = {name.rpartition("/")[2] for name in names}
    if len(named) < count:
        outside = next(test for test in range(count) if f"{test:03}" not in named)
        draft.lose(f"test {outside} is in no subtask", "put it into one")
    if outputs:
        names = [case.name.rpartition("/")[2] for case in draft.tests]
        handed_in(draft.source, draft.path, names)  # none may be there twice
        draft.tests = [
            replace(case, name=f"{case.group}/output_{name}") for case, name in zip(draft.tests, names, strict=True)
        ]


def _checker(source: Source, directory: Path) -> Checker:
    if (file := next(_checkers(directory), None)) is not None:
        return source.checker(source.inside(file), Convention.CMS)
    for place, base in (("check", "checker"), ("cor", "correttore")):
        if (directory / place / base).is_file():
            what = "is a compiled checker, which cannot be imported"
            raise source.tree.error(directory / place / base, what, f"put its source {base}.cpp beside it")
    return Comparison(mode=Mode.TOKENS_BY_EVERY_LINE)


def _checkers(directory: Path) -> Iterator[Path]:
    for place, base in (("check", "checker"), ("cor", "correttore")):
        for suffix in (".cpp", ".cc", ".c", ".py"):
            if (file := directory / place / f"{base}{suffix}").is_file():
                yield file


def _manager(draft: Draft, task: TaskYaml) -> Manager | None:
    """Of a task of type Communication. Its processes read and write FIFOs that they get as arguments."""
    source = draft.source
    for file in _managers(draft.directory):
        if not file.suffix:
            what = "is a compiled manager, which cannot be imported"
            raise source.tree.error(file, what, "put its source manager.cpp beside it")
        program = source.checker(source.inside(file), Convention.CMS)
        return Manager(program=program, processes=task.num_processes, fifos=_fifos(draft, file, task))
    return None


def _managers(directory: Path) -> list[Path]:
    """The manager of a task of type Communication: the first is the one."""
    names = [f"manager{suffix}" for suffix in (".cpp", ".cc", ".c", ".py", "")]
    return [file for place in ("check", "cor") for name in names if (file := directory / place / name).is_file()]


def _fifos(draft: Draft, manager: Path, task: TaskYaml) -> bool | Literal["swapped"]:
    """How the processes meet their FIFOs: without a stub as stdin and stdout, unless the task says otherwise."""
    source = draft.source
    stubs = [path for path in draft.list_files("sol") if path.stem == "stub"]
    sides = {path: swapped for path in (manager, *stubs) if (swapped := _opens_swapped(source, path)) is not None}
    if (task.user_io or ("fifo_io" if stubs else "std_io")) == "std_io":
        if sides.get(manager):
            raise source.tree.error(manager, _SWAPPED, "let it read the first of two FIFOs, and write the second")
        return False
    if len(set(sides.values())) > 1:
        wrong = next(path for path, swapped in sides.items() if swapped)
        what = f"{_SWAPPED}, and {next(path.name for path in sides if not sides[path])} does not"
        raise source.tree.error(wrong, what, "let both open them in one way")
    if not sides:
        source.assume(manager, "of two FIFOs it reads the first and writes the second, as CMS's documents say")
    return "swapped" if True in sides.values() else True


def _opens_swapped(source: Source, path: Path) -> bool | None:
    """Whether a manager or a stub writes the first FIFO of a pair, which each should read; None: nothing shows it."""
    found = {(int(number) % 2 == 1) == (mode == "w") for number, mode in _find_opened(source.text(path))}
    return found.pop() if len(found) == 1 else None


def _find_opened(text: str) -> Iterator[tuple[str, str]]:
    """The arguments that a program in C, C++ or Python opens by their numbers, and whether it reads or writes them."""
    for match in _OPENS.finditer(text):
        yield match[1], "w" if match[2] in ("w", "a", "O_WRONLY") else "r"
    for match in _STREAMS.finditer(text):
        yield match[2], "w" if match[1] == "o" else "r"


def _grader(draft: Draft, short: str, stem: str) -> Grader | None:
    files = draft.list_files("sol")
    graders = [path for path in files if path.stem == stem]
    headers = (path for path in files if path.suffix in HEADERS)
    return draft.source.grader([*graders, *headers], short) if graders else None


def _add_statement(draft: Draft, language: str) -> None:
    known = language.isascii() and language.isalpha() and len(language) in (2, 3)
    for place in (("statement", "statement.pdf"), ("testo", "testo.pdf")):
        file = draft.directory.joinpath(*place)
        if file.is_file() and not draft.statements:
            draft.add_statement(language if known else "en", draft.source.inside(file))


def _add_solutions(draft: Draft, grader: Grader | None) -> None:
    """Those that the format names; what others are worth it does not say."""
    for path in draft.list_files("sol"):
        if path.stem in ("solution", "soluzione"):
            language = by_suffix(path.suffix)
            if grader is not None and language is not None and language.grader_key not in grader.files:
                draft.source.note(path, "is of no language for which there is a grader: not imported")
                continue
            draft.add_known(path, frozenset({"AC"}))


FORMAT = of_folders(
    name="cms",
    holds="a task of CMS (task.yaml)",
    is_problem=lambda directory: (directory / _TASK).is_file(),
    read=_read,
    head=_TASK,
)
