"""Hydro: a folder, or a folder of folders, each with problem.yaml, problem_zh.md, testdata/ with config.yaml, and
additional_file/ with what the statement shows (`file://NAME`) or offers.

config.yaml     type, time "1s", memory "256m", filename (file input and output), checker_type, checker, interactor,
                manager, num_processes, user_extra_files, judge_extra_files, cases, subtasks (id, score,
                type min|max|sum, if, time, memory, cases)

Tests that it does not name are those that `hydro_files` finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from problems.files.tree import PICTURES
from problems.importing import testlib
from problems.importing.hydro_files import Found, by_ini, by_names
from problems.importing.hydro_scores import points_of_cases, share
from problems.importing.keys import Foreign
from problems.importing.source import HEADERS, Format, Source, cases, clean, handed_in, number, pairs, sample_cases
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
from problems.text.statement import samples as statement_samples

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
    pid: str | None = None
    title: str | None = None
    tag: tuple[str, ...] | None = None
    owner: Any = None
    difficulty: Any = None
    nSubmit: Any = None
    nAccept: Any = None


#: The largest number of a subtask.
_MOST_ID = 10**6
Score = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]


class CaseYaml(Foreign):
    input: str = _NONE
    output: str = _NONE
    time: str | None = None
    memory: str | None = None
    score: Score | None = None


class SubtaskYaml(Foreign):
    id: Annotated[int, Field(ge=0, le=_MOST_ID)] | None = None
    score: Score | None = None
    type: Literal["min", "max", "sum"] = "min"
    needs: Annotated[tuple[int, ...], Field(alias="if")] = ()
    time: str | None = None
    memory: str | None = None
    cases: tuple[CaseYaml, ...] = ()


class ConfigYaml(Foreign):
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
    detail: Any = None
    key: Any = None
    langs: Any = None
    multi_pass: Any = None
    redirect: Any = None
    target: Any = None
    answers: Any = None
    time_limit_rate: Any = None
    memory_limit_rate: Any = None


def _is_problem(directory: Path) -> bool:
    return (directory / "testdata").is_dir() and (directory / "problem.yaml").is_file()


def _recognises(source: Source) -> bool:
    root = source.tree.root
    return _is_problem(root) or any(_is_problem(child) for child in source.entries(root) if child.is_dir())


def _problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
    root = source.tree.root
    for directory in [root] if _is_problem(root) else [child for child in source.entries(root) if _is_problem(child)]:
        yield clean(source.name if directory == root else directory.name), partial(_read, source, directory)


def _read(source: Source, directory: Path) -> Problem:
    head = source.read_yaml(directory / "problem.yaml", ProblemYaml)
    data = directory / "testdata"
    path = next((path for name in ("config.yaml", "config.yml") if (path := data / name).is_file()), None)
    config = ConfigYaml() if path is None else source.read_yaml(path, ConfigYaml)
    ini = data / "config.ini" if path is None and (data / "config.ini").is_file() else None
    blame = path or ini or data
    config = _complete(source, data, ini, config)
    _refuse(source, blame, config)
    for other in source.entries(directory):
        if other.name not in _KNOWN:
            source.lose_file(other, "is not imported", "remove it")
    if config.type not in _TYPES:
        line = source.line(blame, "type", config.type)
        raise source.tree.error(blame, f"type {config.type!r} is not imported", f"only {', '.join(_TYPES)} are", line)
    name = clean(directory.name if directory != source.tree.root else source.name)
    source.aside.add(directory / _FILES)
    statements = _with_pictures(source, directory, name, _statements(source, directory, name, head.title or name))
    tests, groups = _tests(source, data, blame, config)
    if config.cases or config.subtasks:  # else there are pairs of other names
        _tell_unnamed(source, data, tests)
    tests = _of_kind(source, blame, config, tests)
    interactor = _find_program(source, data, blame, config, "interactor") if config.type == "interactive" else None
    text = source.text(next(iter(statements.values())))
    shown = () if config.type == "submit_answer" else statement_samples(text)  # outputs are for all tests
    samples = sample_cases(source, ((one.input, one.output) for one in shown), name)
    return Problem(
        name=name,
        directory=directory,
        title=dict.fromkeys(statements, head.title or name),
        limits=_limits(source, blame, Limits(), config.time, config.memory),
        checker=_checker(source, data, blame, config, tests),
        kind="interactive" if interactor else "submit-answer" if config.type == "submit_answer" else "batch",
        interactor=interactor,
        manager=_manager(source, data, blame, config) if config.type == "communication" else None,
        grader=_beside(source, data, blame, config),
        file_io=FileIO(input=f"{config.filename}.in", output=f"{config.filename}.out") if config.filename else None,
        groups=((Group(name="sample", counted=False),) if samples else ()) + groups,
        cases=samples + tests,
        input_validators=(_find_program(source, data, blame, config, "validator", Convention.TESTLIB),)
        if config.validator
        else (),
        statements=statements,
        keywords=head.tag or (),
    )


def _refuse(source: Source, blame: Path, config: ConfigYaml) -> None:
    """Raise ProblemError on what would be judged otherwise here; lose what is not imported."""
    if config.checker is not None and config.checker_type in _COMPARISONS:
        what = f"checker: is not used with checker_type {config.checker_type}"
        raise source.tree.error(blame, what, "state its checker_type, or remove it", source.line_at(blame, "checker"))
    for key in ("interactor", "manager"):
        if getattr(config, key) is not None and config.type != _TALKS[key]:
            what = f"{key}: is not used with type {config.type}"
            raise source.tree.error(blame, what, f"write type: {_TALKS[key]}, or remove it", source.line_at(blame, key))
    for key in _REFUSED:
        if getattr(config, key):
            raise source.tree.error(blame, f"{key}: is not imported", "write it by hand", source.line_at(blame, key))
    for key in _RATES:
        if getattr(config, key):
            line = None if source.lenient else source.line_at(blame, key)
            source.lose(blame, f"{key}: limits by language are not imported", "remove it", line)
    if config.langs:
        source.note(blame, "langs, which languages may solve it, is not imported")


def _complete(source: Source, data: Path, ini: Path | None, config: ConfigYaml) -> ConfigYaml:
    """The configuration with the tests that it leaves to config.ini or to the names of files."""
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


def _statements(source: Source, directory: Path, name: str, title: str) -> dict[str, Path]:
    found = {tag: file for tag in ("zh", "en") if (file := directory / f"problem_{tag}.md").is_file()}
    if not found and (directory / "problem.md").is_file():
        found = {"zh": directory / "problem.md"}
    return found or {"zh": source.make(f"{name}/problem.zh.md", f"# {title}\n")}


def _with_pictures(source: Source, directory: Path, name: str, statements: dict[str, Path]) -> dict[str, Path]:
    """The statements with the pictures that they show beside them, by their names. The site writes file://NAME."""
    pictures = [path for path in source.entries(directory / _FILES) if path.suffix.lower() in PICTURES]
    made = {}
    for tag, path in statements.items():
        text = source.text(path)
        shown = [picture for picture in pictures if f"file://{picture.name}" in text]
        for picture in shown:
            text = text.replace(f"file://{picture.name}", picture.name)
            source.make(f"{name}/{picture.name}", picture.read_bytes())
            source.seen.add(picture)
        made[tag] = source.make(f"{name}/problem.{tag}.md", text) if shown else path
    return made


def _of_kind(source: Source, blame: Path, config: ConfigYaml, tests: tuple[TestCase, ...]) -> tuple[TestCase, ...]:
    """The tests with what only some kinds of problems need: points for programs that give a part of them; names of
    outputs."""
    if config.type in ("default", "submit_answer") and config.checker_type in _COMPARISONS:
        tests = tuple(replace(case, full_score=1.0) for case in tests)
    if config.type != "submit_answer":
        return tests
    source.assume(blame, "outputs are handed in under the names of the answers")
    names = handed_in(source, blame, (case.answer.name for case in tests if case.answer is not None))
    return tuple(replace(case, name=f"{case.group}/{name}") for case, name in zip(tests, names, strict=True))


def _limits(source: Source, path: Path, usual: Limits, time: str | None, memory: str | None) -> Limits:
    return replace(
        usual,
        cpu_ns=usual.cpu_ns if time is None else number(source, path, time, _TIME, "time"),
        memory_bytes=usual.memory_bytes if memory is None else number(source, path, memory, _MEMORY, "memory"),
    )


def _checker(source: Source, data: Path, blame: Path, config: ConfigYaml, tests: Sequence[TestCase]) -> Checker:
    if config.type not in ("default", "submit_answer"):
        return Comparison()
    if config.checker_type in _COMPARISONS:
        return Comparison(mode=_COMPARISONS[config.checker_type])
    if config.checker_type not in _PROGRAMS:
        raise source.tree.error(
            blame,
            f"checker_type {config.checker_type!r} is not imported",
            f"write a checker for {' or '.join(_PROGRAMS)}",
            source.line(blame, "checker_type", config.checker_type),
        )
    name = config.checker.get("file") if isinstance(config.checker, dict) else config.checker
    if isinstance(name, str) and "." not in name:  # of those that come with testlib
        if name in testlib.COMPARISONS:
            testlib.check_answers(source, name, (case.answer for case in tests if case.answer is not None))
            return testlib.COMPARISONS[name]
        what = f"checker {name[:40]!r} of testlib is not imported by its name"
        line = source.line_at(blame, "checker")
        raise source.tree.error(blame, what, f"put its source beside the tests, and write checker: {name}.cpp", line)
    return _find_program(source, data, blame, config, "checker", _PROGRAMS[config.checker_type])


def _find_program(
    source: Source,
    data: Path,
    blame: Path,
    config: ConfigYaml,
    what: Literal["checker", "interactor", "manager", "validator"],
    convention: Convention = Convention.HYDRO,
) -> Program:
    """The program that the configuration names, with the files beside it."""
    stated = getattr(config, what)
    file = stated.get("file") if isinstance(stated, dict) else stated
    if not file:
        raise source.tree.error(blame, f"{what} is not stated", f"write {what}: FILE")
    program = source.checker(source.find_named(data, str(file), blame), convention)
    if convention is Convention.HYDRO_SYZOJ and b'"code"' in program.sources[0].read_bytes():
        source.lose(program.sources[0], "reads the source of the submission, which it does not get here", "drop that")
    extra = (source.find_named(data, name, blame) for name in config.judge_extra_files)
    return replace(program, sources=tuple(dict.fromkeys((*program.sources, *extra))))


def _manager(source: Source, data: Path, blame: Path, config: ConfigYaml) -> Manager:
    """Hydro calls managers as CMS does."""
    program = _find_program(source, data, blame, config, "manager", Convention.HYDRO)
    return Manager(program=program, processes=config.num_processes)


def _beside(source: Source, data: Path, blame: Path, config: ConfigYaml) -> Grader | None:
    """Headers that submissions include."""
    headers = []
    for name in config.user_extra_files:
        path = source.find_named(data, name, blame)
        if path.suffix in HEADERS:
            headers.append(path)
        else:
            source.lose_grader(path, blame, f"user_extra_files: {name!r} is no header")
    return source.grader(headers, None) if headers else None


def _tests(
    source: Source, data: Path, blame: Path, config: ConfigYaml
) -> tuple[tuple[TestCase, ...], tuple[Group, ...]]:
    usual = _limits(source, blame, Limits(), config.time, config.memory)
    if not config.subtasks:
        found = (
            _files(source, data, blame, config.cases)
            if config.cases
            else [(*pair, None) for pair in pairs(source, data)]
        )
        if not found:
            raise source.tree.error(data, "has no test cases", "add NAME.in with NAME.out")
        made = _cases(source, blame, found, "secret", usual, SubtaskYaml(type="sum"), 100.0)
        return made, (Group(name="secret", points=sum(case.weight for case in made)),)
    tests: list[TestCase] = []
    groups: list[Group] = []
    numbers = [index if one.id is None else one.id for index, one in enumerate(config.subtasks, 1)]
    if len(set(numbers)) < len(numbers):
        raise source.tree.error(blame, "two subtasks have one id", "give each its own")
    left = max(0.0, 100.0 - sum(one.score or 0.0 for one in config.subtasks))
    shares = iter(share(left, sum(not one.score for one in config.subtasks)))
    for index, (number_, one) in enumerate(zip(numbers, config.subtasks, strict=True)):
        group = f"secret/{number_:03}"
        if not one.cases:
            line = source.line_at(blame, "subtasks", index)
            raise source.tree.error(blame, f"subtask {number_} has no cases", "name them", line)
        within = _limits(source, blame, usual, one.time, one.memory)
        whole = one.score or next(shares)
        made = _cases(source, blame, _files(source, data, blame, one.cases), group, within, one, whole)
        tests += [replace(case, limits=within) if case.limits is None and within != usual else case for case in made]
        for needed in one.needs:
            if needed not in numbers:
                what = f"subtask {number_} needs {needed}, which is not there"
                line = source.line_at(blame, "subtasks", index, "if")
                raise source.tree.error(blame, what, "correct `if`", line)
        groups.append(
            Group(
                name=group,
                points=sum(case.weight for case in made) if one.type == "sum" else whole,
                aggregation=_AGGREGATION[one.type],
                requires=tuple(f"secret/{needed:03}" for needed in one.needs),
            )
        )
    return tuple(tests), tuple(groups)


def _tell_unnamed(source: Source, data: Path, tests: Sequence[TestCase]) -> None:
    named = {path for case in tests for path in (case.input, case.answer)}
    for path in source.entries(data):
        if path not in named and (path.is_dir() or path.suffix in (".in", ".out", ".ans")):
            source.lose_file(path, "is named by no test", "name it in config.yaml, or remove it")


def _files(
    source: Source, data: Path, blame: Path, stated: Sequence[CaseYaml]
) -> list[tuple[Path, Path, CaseYaml | None]]:
    found = []
    for one in stated:
        given, answer = (
            source.make("no-file", b"") if name == _NONE else source.find_named(data, name, blame)
            for name in (one.input, one.output)
        )
        found.append((given, answer, one))
    return found  # type: ignore[return-value]


def _cases(
    source: Source,
    blame: Path,
    found: Sequence[tuple[Path, Path, CaseYaml | None]],
    group: str,
    usual: Limits,
    within: SubtaskYaml,
    whole: float,
) -> tuple[TestCase, ...]:
    """`whole`: the points of the subtask."""
    listed = cases([(input_, answer) for input_, answer, _ in found], group)
    points = points_of_cases(
        source, blame, within.type, whole, [None if one is None else one.score for _, _, one in found]
    )
    made = []
    for case, (_, _, one), own in zip(listed, found, points, strict=True):
        limits = usual if one is None else _limits(source, blame, usual, one.time, one.memory)
        weight = own if within.type == "sum" else 1.0
        full = own or 1.0
        made.append(replace(case, weight=weight, full_score=full, limits=None if limits == usual else limits))
    return tuple(made)


FORMAT = Format(name="hydro", holds="Hydro's problem.yaml and testdata/", recognises=_recognises, problems=_problems)
