"""Hydro: a folder, or a folder of folders, each with problem.yaml, problem_zh.md, testdata/ with config.yaml, and
additional_file/ with what the statement shows (`file://NAME`) or offers.

config.yaml     type, time "1s", memory "256m", filename (file input and output), checker_type, checker, interactor,
                manager, num_processes, user_extra_files, judge_extra_files, cases, subtasks (id, score,
                type min|max|sum, if, time, memory, cases)

Tests that it does not name are those that `hydro_files` finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from problems.files.tree import PICTURES
from problems.importing import testlib
from problems.importing.draft import Draft, of_folders
from problems.importing.hydro_files import Found, by_ini, by_names
from problems.importing.hydro_scores import points_of_cases, share
from problems.importing.keys import Foreign, Points
from problems.importing.source import HEADERS, cases, pairs
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
    Program,
    TestCase,
)

_TIME = {"": SECOND_NS // 1000, "ms": SECOND_NS // 1000, "s": SECOND_NS, "us": SECOND_NS // 10**6}
_MEMORY = {"": MIB, "k": 1024, "kb": 1024, "m": MIB, "mb": MIB, "g": 1024 * MIB, "gb": 1024 * MIB}
_COMPARISONS = {"default": Mode.LINES, "strict": Mode.EXACT_LINES}
_PROGRAMS = {
    "testlib": Convention.HYDRO,
    "kattis": Convention.HYDRO_KATTIS,
    "syzoj": Convention.HYDRO_SYZOJ,
    "hustoj": Convention.HUSTOJ,
    "lemon": Convention.HYDRO_LEMON,
    "qduoj": Convention.QDUOJ,
}
#: Keys by which a problem is judged in another way.
_REFUSED = ("multi_pass", "redirect", "target", "answers")
#: Keys by which limits depend on the language.
_RATES = ("time_limit_rate", "memory_limit_rate")
#: How a configuration says that a test has no answer: for checkers.
_NONE = "/dev/null"
_TYPES = ("default", "interactive", "communication", "submit_answer")
#: Files of the statement. No test reads them.
_FILES = "additional_file"
_KNOWN = ("problem.yaml", "problem.md", "problem_zh.md", "problem_en.md", "testdata", _FILES)
#: The type of problem that has such a program.
_TALKS = {"interactor": "interactive", "manager": "communication"}
_AGGREGATION = {"min": Aggregation.MIN, "max": Aggregation.MAX, "sum": Aggregation.SUM}


class ProblemYaml(Foreign):
    UNREAD = "owner difficulty nSubmit nAccept"

    pid: str | None = None
    title: str | None = None
    tag: tuple[str, ...] | None = None


#: The largest number of a subtask.
_MOST_ID = 10**6


class CaseYaml(Foreign):
    input: str = _NONE
    output: str = _NONE
    time: str | None = None
    memory: str | None = None
    score: Points | None = None


class SubtaskYaml(Foreign):
    id: Annotated[int, Field(ge=0, le=_MOST_ID)] | None = None
    score: Points | None = None
    type: Literal["min", "max", "sum"] = "min"
    needs: Annotated[tuple[int, ...], Field(alias="if")] = ()
    time: str | None = None
    memory: str | None = None
    cases: tuple[CaseYaml, ...] = ()


class ConfigYaml(Foreign):
    UNREAD = "detail key"

    type: str = "default"
    time: str | None = None
    memory: str | None = None
    score: float | None = None
    filename: str | None = None
    checker_type: str = "default"
    checker: Any = None
    interactor: Any = None
    manager: Any = None
    validator: Any = None
    num_processes: Annotated[int, Field(ge=1, le=MOST_PROCESSES)] = 2
    subType: str | None = None
    user_extra_files: tuple[str, ...] = ()
    judge_extra_files: tuple[str, ...] = ()
    cases: tuple[CaseYaml, ...] = ()
    subtasks: tuple[SubtaskYaml, ...] = ()
    langs: Any = None
    multi_pass: Any = None
    redirect: Any = None
    target: Any = None
    answers: Any = None
    time_limit_rate: Any = None
    memory_limit_rate: Any = None


def _is_problem(directory: Path) -> bool:
    return (directory / "testdata").is_dir() and (directory / "problem.yaml").is_file()


def _read(draft: Draft) -> Problem:
    source, directory, data = draft.source, draft.directory, draft.directory / "testdata"
    head = source.read_yaml(draft.path, ProblemYaml)
    path = next((path for name in ("config.yaml", "config.yml") if (path := data / name).is_file()), None)
    config = ConfigYaml() if path is None else source.read_yaml(path, ConfigYaml)
    ini = data / "config.ini" if path is None and (data / "config.ini").is_file() else None
    draft.path = path or ini or data
    config = _complete(draft, ini, config)
    _refuse(draft, config)
    for other in draft.list_files():
        if other.name not in _KNOWN:
            source.lose_file(other, "is not imported", "remove it")
    if config.type not in _TYPES:
        line = source.line(draft.path, "type", config.type)
        raise draft.error(f"type {config.type!r} is not imported", f"only {', '.join(_TYPES)} are", line=line)
    source.aside.add(directory / _FILES)
    draft.title = head.title or draft.name
    _add_statements(draft)
    _add_tests(draft, config)
    if config.cases or config.subtasks:  # else there are pairs of other names
        _tell_unnamed(draft)
    _fit_kind(draft, config)
    interactor = _find_program(draft, config, "interactor") if config.type == "interactive" else None
    if config.type != "submit_answer":  # outputs are for all tests
        draft.add_shown_samples()
    limits, checker = _limits(draft, Limits(), config.time, config.memory), _checker(draft, config)
    manager = _find_program(draft, config, "manager") if config.type == "communication" else None
    return replace(
        draft.build("zh"),
        limits=limits,
        checker=checker,
        kind="interactive" if interactor else "submit-answer" if config.type == "submit_answer" else "batch",
        interactor=interactor,
        # Hydro calls managers as CMS does.
        manager=None if manager is None else Manager(program=manager, processes=config.num_processes),
        grader=_beside(draft, config),
        file_io=FileIO(input=f"{config.filename}.in", output=f"{config.filename}.out") if config.filename else None,
        input_validators=(_find_program(draft, config, "validator", Convention.TESTLIB),) if config.validator else (),
        keywords=head.tag or (),
    )


def _refuse(draft: Draft, config: ConfigYaml) -> None:
    """Raise ProblemError on what would be judged otherwise here; lose what is not imported."""
    if config.checker is not None and config.checker_type in _COMPARISONS:
        what = f"checker: is not used with checker_type {config.checker_type}"
        raise draft.error(what, "state its checker_type, or remove it", "checker")
    for key in ("interactor", "manager"):
        if getattr(config, key) is not None and config.type != _TALKS[key]:
            what = f"{key}: is not used with type {config.type}"
            raise draft.error(what, f"write type: {_TALKS[key]}, or remove it", key)
    if config.cases and config.subtasks:
        draft.lose("subtasks: cases stand for them", "remove one of the two", "subtasks")
    for key in _REFUSED:
        if getattr(config, key):
            raise draft.error(f"{key}: is not imported", "write it by hand", key)
    for key in _RATES:
        if getattr(config, key):
            draft.lose(f"{key}: limits by language are not imported", "remove it", key)
    if config.langs:
        draft.note("langs, which languages may solve it, is not imported")


def _complete(draft: Draft, ini: Path | None, config: ConfigYaml) -> ConfigYaml:
    """The configuration with the tests that it leaves to config.ini or to the names of files."""
    source, data = draft.source, draft.directory / "testdata"
    if ini is None and (data / "config.ini").is_file():
        source.note(data / "config.ini", "is not imported: config.yaml stands for it")
    if config.cases or any(one.cases for one in config.subtasks):
        return config
    names = [path.name for path in source.entries(data) if path.is_file()]
    found = list(by_ini(source, source.inside(ini))) if ini else by_names(names)
    for one in found:
        if one.id > _MOST_ID:
            first = data / one.cases[0][0]
            raise source.tree.error(first, f"names a subtask above {_MOST_ID}", "give it a smaller number")
    if len(found) == 1 and found[0].type == "sum" and not config.subtasks:
        return config.model_copy(update={"cases": _list_cases(found[0])})
    own = {one.id: one for one in found}
    subtasks = [
        one.model_copy(update={"cases": _list_cases(own.pop(one.id))}) if one.id in own else one
        for one in config.subtasks
    ]
    subtasks += [
        SubtaskYaml(id=one.id, type=one.type, score=one.score, time=one.time, memory=one.memory, cases=_list_cases(one))
        for one in own.values()
    ]
    return config.model_copy(update={"subtasks": tuple(subtasks)})


def _list_cases(found: Found) -> tuple[CaseYaml, ...]:
    return tuple(CaseYaml(input=given, output=answer) for given, answer in found.cases)


def _add_statements(draft: Draft) -> None:
    """The statements, with the pictures that they show beside them, by their names. The site writes file://NAME."""
    files = {tag: file for tag in ("zh", "en") if (file := draft.directory / f"problem_{tag}.md").is_file()}
    if not files and (draft.directory / "problem.md").is_file():
        files = {"zh": draft.directory / "problem.md"}
    pictures = [path for path in draft.list_files(_FILES) if path.suffix.lower() in PICTURES]
    for tag, path in files.items():
        text = draft.source.text(path)
        shown = [picture for picture in pictures if f"file://{picture.name}" in text]
        for picture in shown:
            text = text.replace(f"file://{picture.name}", picture.name)
            draft.make(picture.name, picture.read_bytes())
            draft.source.seen.add(picture)
        draft.add_statement(tag, text if shown else path)


def _fit_kind(draft: Draft, config: ConfigYaml) -> None:
    """Give tests what only some kinds of problems need: points for programs that give a part of them; names of
    outputs."""
    if config.type in ("default", "submit_answer") and config.checker_type in _COMPARISONS:
        draft.tests = [replace(case, full_score=1.0) for case in draft.tests]
    if config.type == "submit_answer":
        draft.assume("outputs are handed in under the names of the answers")
        names = (case.answer.name for case in draft.tests if case.answer is not None)
        draft.tests = draft.hand_in(draft.tests, names)


def _limits(draft: Draft, usual: Limits, time: str | None, memory: str | None) -> Limits:
    return draft.read_limits(usual, (time, _TIME), (memory, _MEMORY))


def _checker(draft: Draft, config: ConfigYaml) -> Checker:
    if config.type not in ("default", "submit_answer"):
        return Comparison()
    if config.checker_type in _COMPARISONS:
        return Comparison(mode=_COMPARISONS[config.checker_type])
    if config.checker_type not in _PROGRAMS:
        what = f"checker_type {config.checker_type!r} is not imported"
        line = draft.source.line(draft.path, "checker_type", config.checker_type)
        raise draft.error(what, f"write a checker for {' or '.join(_PROGRAMS)}", line=line)
    name = config.checker.get("file") if isinstance(config.checker, dict) else config.checker
    if isinstance(name, str) and "." not in name:  # of those that come with testlib
        if name in testlib.COMPARISONS:
            testlib.check_answers(draft.source, name, draft.tests)
            return testlib.COMPARISONS[name]
        what = f"checker {name[:40]!r} of testlib is not imported by its name"
        raise draft.error(what, f"put its source beside the tests, and write checker: {name}.cpp", "checker")
    return _find_program(draft, config, "checker", _PROGRAMS[config.checker_type])


def _find_program(
    draft: Draft,
    config: ConfigYaml,
    what: Literal["checker", "interactor", "manager", "validator"],
    convention: Convention = Convention.HYDRO,
) -> Program:
    """The program that the configuration names, with the files beside it."""
    stated, data = getattr(config, what), draft.directory / "testdata"
    file = stated.get("file") if isinstance(stated, dict) else stated
    if not file:
        raise draft.error(f"{what} is not stated", f"write {what}: FILE")
    program = draft.source.checker(draft.find(str(file), data), convention)
    if convention is Convention.HYDRO_SYZOJ:
        draft.lose_reader(program)
    extra = (draft.find(name, data) for name in config.judge_extra_files)
    return replace(program, sources=tuple(dict.fromkeys((*program.sources, *extra))))


def _beside(draft: Draft, config: ConfigYaml) -> Grader | None:
    """Headers that submissions include."""
    headers = []
    for name in config.user_extra_files:
        path = draft.find(name, draft.directory / "testdata")
        if path.suffix in HEADERS:
            headers.append(path)
        else:
            draft.source.lose_grader(path, draft.path, f"user_extra_files: {name!r} is no header")
    return draft.source.grader(headers, None) if headers else None


def _add_tests(draft: Draft, config: ConfigYaml) -> None:
    source, data = draft.source, draft.directory / "testdata"
    usual = _limits(draft, Limits(), config.time, config.memory)
    if config.cases or not config.subtasks:
        files = _find_files(draft, config.cases) if config.cases else pairs(source, data)
        if not files:
            raise source.tree.error(data, "has no test cases", "add NAME.in with NAME.out")
        if not config.cases:
            source.assume(
                data, "each NAME.in with its answer is a test: the site finds none by these names (1.in, a1-2.in)"
            )
        stated = config.cases or (CaseYaml(),) * len(files)
        draft.tests += _make_cases(draft, files, stated, "secret", usual, SubtaskYaml(type="sum"), 100.0)
        draft.count_tests()
        return
    numbers = [index if one.id is None else one.id for index, one in enumerate(config.subtasks, 1)]
    if len(set(numbers)) < len(numbers):
        raise draft.error("two subtasks have one id", "give each its own")
    left = max(0.0, 100.0 - sum(one.score or 0.0 for one in config.subtasks))
    shares = iter(share(left, sum(not one.score for one in config.subtasks)))
    for index, (number_, one) in enumerate(zip(numbers, config.subtasks, strict=True)):
        group = f"secret/{number_:03}"
        if not one.cases:
            raise draft.error(f"subtask {number_} has no cases", "name them", "subtasks", index)
        within = _limits(draft, usual, one.time, one.memory)
        whole = one.score or next(shares)
        made = _make_cases(draft, _find_files(draft, one.cases), one.cases, group, within, one, whole)
        draft.tests += [
            replace(case, limits=within) if case.limits is None and within != usual else case for case in made
        ]
        for needed in one.needs:
            if needed not in numbers:
                what = f"subtask {number_} needs {needed}, which is not there"
                raise draft.error(what, "correct `if`", "subtasks", index, "if")
        draft.groups.append(
            Group(
                name=group,
                points=sum(case.weight for case in made) if one.type == "sum" else whole,
                aggregation=_AGGREGATION[one.type],
                requires=tuple(f"secret/{needed:03}" for needed in one.needs),
            )
        )


def _tell_unnamed(draft: Draft) -> None:
    named = {path for case in draft.tests for path in (case.input, case.answer)}
    for path in draft.list_files("testdata"):
        if path not in named and (path.is_dir() or path.suffix in (".in", ".out", ".ans")):
            draft.source.lose_file(path, "is named by no test", "name it in config.yaml, or remove it")


def _find_files(draft: Draft, stated: Iterable[CaseYaml]) -> list[tuple[Path, Path]]:
    def find(name: str) -> Path:
        return draft.make("no-file", b"") if name == _NONE else draft.find(name, draft.directory / "testdata")

    return [(find(one.input), find(one.output)) for one in stated]


def _make_cases(
    draft: Draft,
    files: Sequence[tuple[Path, Path]],
    stated: Sequence[CaseYaml],
    group: str,
    usual: Limits,
    within: SubtaskYaml,
    whole: float,
) -> list[TestCase]:
    """`whole`: the points of the subtask."""
    points = points_of_cases(draft, within.type, whole, [one.score for one in stated])
    made = []
    for case, one, own in zip(cases(files, group), stated, points, strict=True):
        limits = _limits(draft, usual, one.time, one.memory)
        weight = own if within.type == "sum" else 1.0
        made.append(replace(case, weight=weight, full_score=own or 1.0, limits=None if limits == usual else limits))
    return made


FORMAT = of_folders(
    name="hydro",
    holds="Hydro's problem.yaml and testdata/",
    is_problem=_is_problem,
    read=_read,
    head="problem.yaml",
)
