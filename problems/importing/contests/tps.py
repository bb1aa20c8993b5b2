"""TPS, of the IOI: an exported task.

problem.json        code, name, task_type (Batch, Communication, OutputOnly, TwoSteps), time_limit (s), memory_limit
                    (bytes, or MiB where it is small), task_type_params
tests/*.in, *.out   the tests; subtasks/*.json: score and testcases of each subtask, by their names
checker/checker.cpp, graders/grader.*, graders/manager.cpp, statements/*.pdf, solutions/ or solution/
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from problems.importing.keys import Foreign
from problems.importing.source import REFUSED, Format, Source, clean, pairs
from problems.model import (
    MIB,
    MOST_PROCESSES,
    SECOND_NS,
    Aggregation,
    Checker,
    Comparison,
    Convention,
    Grader,
    Group,
    LabelledSubmission,
    Limits,
    Manager,
    Mode,
    Problem,
    TestCase,
)

_HEAD = "problem.json"
_KINDS = ("Batch", "OutputOnly", "Communication")
_PROCESSES = "task_type_parameters_Communication_num_processes"
#: A limit of memory below is in MiB: TPS exports bytes, its own repositories MiB.
_LEAST_BYTES = 1 << 20
_SOLUTIONS = "solutions.json"
_EXPECTED = {
    "correct": frozenset({"AC"}),
    "model_solution": frozenset({"AC"}),
    "time_limit": frozenset({"TLE"}),
    "memory_limit": frozenset({"MLE"}),
    "runtime_error": frozenset({"RE"}),
    "incorrect": frozenset({"WA", "PE"}),
    "failed": REFUSED,
}


class ProblemJson(Foreign):
    code: str | None = None
    name: str | None = None
    title: str | None = None
    task_type: str | None = None
    type: str | None = None
    task_type_params: Any = None
    type_params: Any = None
    time_limit: Annotated[float, Field(gt=0, le=10**4, allow_inf_nan=False)] | None = None
    memory_limit: Annotated[float, Field(gt=0, le=1 << 50, allow_inf_nan=False)] | None = None
    # What the verdict does not depend on.
    description: Any = None
    statement_pages: Any = None
    cpp_std_opt: Any = None
    has_grader: Any = None
    has_checker: Any = None
    has_manager: Any = None
    java_enabled: Any = None
    python_enabled: Any = None
    cpp_enabled: Any = None
    pascal_enabled: Any = None
    grader_name: Any = None
    feedback_level: Any = None
    score_precision: Any = None
    web_url: Any = None


class SubtaskJson(Foreign):
    score: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
    testcases: tuple[str, ...] = ()
    index: Any = None
    name: Any = None
    text: Any = None
    validators: Any = None


class SubtasksJson(Foreign):
    """Of a repository: the tests are in tests/mapping."""

    subtasks: dict[str, SubtaskJson]
    global_validators: Any = None
    subtask_sensitive_validators: Any = None


class SolutionJson(Foreign):
    verdict: str = ""
    except_: Any = Field(default=None, alias="except")
    score: Any = None


def _problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
    yield clean(source.name), partial(_read, source)


def _read(source: Source) -> Problem:
    root = source.tree.root
    path = root / _HEAD
    head = source.read_json(path, ProblemJson)
    kind = head.task_type or head.type or "Batch"
    kind = kind[:1].upper() + kind[1:]
    if kind not in _KINDS:
        what = f"task_type {kind[:40]!r} is not imported"
        raise source.tree.error(path, what, f"only {', '.join(_KINDS)} are")
    name = clean(head.code or head.name or source.name)
    found = {input_.stem: (input_, answer) for input_, answer in pairs(source, root / "tests")}
    if not found:
        raise source.tree.error(root / "tests", "has no test cases", "export the task again: its tests are generated")
    outputs = kind == "OutputOnly"
    manager = _manager(source, path, head) if kind == "Communication" else None
    tests, groups = _tests(source, found, outputs=outputs)
    return Problem(
        name=clean(source.name),
        directory=root,
        title={"en": head.title or head.name or name},
        limits=Limits() if outputs else _limits(source, path, head),
        checker=Comparison() if manager else _checker(source),
        manager=manager,
        kind="submit-answer" if outputs else "batch",
        grader=_grader(source, name),
        groups=groups,
        cases=tests,
        statements=_statements(source, clean(source.name), head),
        submissions=tuple(_solutions(source)),
    )


def _limits(source: Source, path: Path, head: ProblemJson) -> Limits:
    if head.time_limit is None or head.memory_limit is None:
        source.assume(path, "a limit of 1 s or 256 MiB, where none is stated")
    memory = head.memory_limit or 256
    return Limits(
        cpu_ns=round((head.time_limit or 1.0) * SECOND_NS),
        memory_bytes=round(memory if memory >= _LEAST_BYTES else memory * MIB),
    )


def _tests(
    source: Source, found: dict[str, tuple[Path, Path]], *, outputs: bool
) -> tuple[tuple[TestCase, ...], tuple[Group, ...]]:
    stated = [path for path in source.entries(source.tree.root / "subtasks") if path.suffix == ".json"]
    subtasks = [(path, source.read_json(path, SubtaskJson)) for path in stated] or _of_repository(source)
    if not subtasks:
        return _name_tests("secret", found, outputs=outputs), (Group(name="secret", points=100.0),)
    tests: list[TestCase] = []
    groups: list[Group] = []
    used: set[str] = set()
    for number, (path, subtask) in enumerate(subtasks):
        samples = not number and not subtask.score
        group = "sample" if samples else f"secret/{number:03}"
        for name in subtask.testcases:
            if name not in found:
                raise source.tree.error(path, f"names the test {name[:60]!r}, which is not in tests/", "export again")
        if not subtask.testcases:
            raise source.tree.error(path, "has no test cases", "name them")
        used |= set(subtask.testcases)
        made = _name_tests(group, {name: found[name] for name in subtask.testcases}, outputs=outputs)
        tests += [replace(case, sample=samples) for case in made]
        groups.append(Group(name=group, counted=False) if samples else _group(group, subtask))
    for name in found.keys() - used:
        source.lose(found[name][0], "is in no subtask", "name it in one")
    return tuple(tests), tuple(groups)


def _of_repository(source: Source) -> list[tuple[Path, SubtaskJson]]:
    """The subtasks of a repository with tests: subtasks.json, and in tests/mapping a line "subtask test" for
    each test of each."""
    path, mapping = source.file("subtasks.json"), source.file("tests", "mapping")
    if path is None:
        return []
    if mapping is None:
        source.lose(path, "says nothing of the tests, and there is no tests/mapping", "export the task, or run tps gen")
        return []
    named: dict[str, list[str]] = {}
    known = source.read_json(path, SubtasksJson).subtasks
    for line, text in enumerate(source.text(mapping).splitlines(), 1):
        subtask, *tests = text.split() or [""]
        if subtask and subtask not in known:
            raise source.tree.error(mapping, f"names the subtask {subtask[:60]!r}, which is none", "run tps gen", line)
        named.setdefault(subtask, []).extend(tests)
    stated = [(name, one.model_copy(update={"testcases": tuple(named.get(name, ()))})) for name, one in known.items()]
    stated.sort(key=lambda one: one[1].index if isinstance(one[1].index, int) else 0)
    return [(path, one) for _, one in stated]


def _group(name: str, subtask: SubtaskJson) -> Group:
    return Group(name=name, points=subtask.score, aggregation=Aggregation.MIN)


def _name_tests(group: str, found: dict[str, tuple[Path, Path]], *, outputs: bool) -> tuple[TestCase, ...]:
    """Tests under the names that the task gives them, by which outputs are handed in."""
    return tuple(
        TestCase(name=f"{group}/{'output_' if outputs else ''}{clean(name)}", group=group, input=input_, answer=answer)
        for name, (input_, answer) in found.items()
    )


def _checker(source: Source) -> Checker:
    file = source.file("checker", "checker.cpp")
    return Comparison(mode=Mode.TOKENS_BY_EVERY_LINE) if file is None else source.checker(file, Convention.CMS)


def _manager(source: Source, path: Path, head: ProblemJson) -> Manager:
    file = source.file("graders", "manager.cpp")
    if file is None:
        raise source.tree.error(path, "is a task of type Communication, but has no graders/manager.cpp", "add it")
    try:
        stated = json.loads(head.task_type_params or "{}") if isinstance(head.task_type_params, str) else None
    except (ValueError, RecursionError):
        stated = None
    processes = stated.get(_PROCESSES, 1) if isinstance(stated, dict) else 1
    if not isinstance(processes, int) or not 1 <= processes <= MOST_PROCESSES:
        what = f"task_type_params: {str(processes)[:40]} processes"
        raise source.tree.error(path, what, f"state a number from 1 to {MOST_PROCESSES}")
    return Manager(program=source.checker(file, Convention.CMS), processes=processes)


def _grader(source: Source, name: str) -> Grader | None:
    for place in ("graders", "grader"):
        files = [path for path in source.entries(source.tree.root / place) if path.is_file() and path.stem != "manager"]
        if files:
            return source.grader(files, name)
    below = [path for child in source.entries(source.tree.root / "grader") for path in source.entries(child)]
    return source.grader([path for path in below if path.is_file()], name) if below else None


def _statements(source: Source, name: str, head: ProblemJson) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for place in ("statements", "statement"):
        for path in source.entries(source.tree.root / place):
            language = path.stem.partition("_")[0] if path.suffix == ".pdf" else "en" if path.name == "index.md" else ""
            if len(language) in (2, 3) and language.isascii() and language.isalpha():
                found.setdefault(language.lower(), path)
    return found or {"en": source.make(f"{name}/problem.en.md", f"# {head.title or head.name or name}\n")}


def _solutions(source: Source) -> Iterator[LabelledSubmission]:
    """Of a repository: solutions.json says what each is worth. An exported task does not say it."""
    path = source.file(_SOLUTIONS)
    if path is None:
        return
    for name, stated in source.read_json_map(path, SolutionJson).items():
        file = source.find_named(source.tree.root / "solution", name, path)
        if (made := source.label_solution(file, stated.verdict, _EXPECTED, path)) is not None:
            yield made


FORMAT = Format(
    name="tps",
    holds="a task of TPS (problem.json and tests/)",
    recognises=lambda source: source.file(_HEAD) is not None and (source.tree.root / "tests").is_dir(),
    problems=_problems,
)
