"""TPS, of the IOI: an exported task.

problem.json        code, name, task_type (Batch, Communication, OutputOnly, TwoSteps), time_limit (s), memory_limit
                    (bytes, or MiB where it is small), task_type_params
tests/*.in, *.out   the tests; subtasks/*.json: score and testcases of each subtask, by their names
checker/checker.cpp, graders/grader.*, graders/manager.cpp, statements/*.pdf, solutions/ or solution/
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from problems.importing.draft import Draft, of_source
from problems.importing.keys import Foreign, Points
from problems.importing.source import REFUSED, Source, clean, pairs
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
    Limits,
    Manager,
    Mode,
    Problem,
    Program,
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
    UNREAD = """
    type_params description statement_pages cpp_std_opt java_enabled
    python_enabled cpp_enabled pascal_enabled grader_name feedback_level score_precision web_url
    """

    code: str | None = None
    name: str | None = None
    title: str | None = None
    task_type: str | None = None
    type: str | None = None
    has_grader: bool | None = None
    has_checker: bool | None = None
    has_manager: bool | None = None
    task_type_params: Any = None
    time_limit: Annotated[float, Field(gt=0, le=10**4, allow_inf_nan=False)] | None = None
    memory_limit: Annotated[float, Field(gt=0, le=1 << 50, allow_inf_nan=False)] | None = None


class SubtaskJson(Foreign):
    score: Points
    testcases: tuple[str, ...] = ()
    index: Any = None
    name: Any = None
    text: Any = None
    validators: Any = None


class SubtasksJson(Foreign):
    """Of a repository: the tests are in tests/mapping."""

    UNREAD = "global_validators subtask_sensitive_validators"

    subtasks: dict[str, SubtaskJson]


class SolutionJson(Foreign):
    verdict: str = ""
    except_: Any = Field(default=None, alias="except")
    score: Any = None


def _read(draft: Draft) -> Problem:
    source, root = draft.source, draft.directory
    head = source.read_json(draft.path, ProblemJson)
    kind = head.task_type or head.type or "Batch"
    kind = kind[:1].upper() + kind[1:]
    if head.task_type and head.type and head.task_type.lower() != head.type.lower():
        raise draft.error(f"task_type {head.task_type[:40]!r} is not type {head.type[:40]!r}", "keep one of them")
    if kind not in _KINDS:
        raise draft.error(f"task_type {kind[:40]!r} is not imported", f"only {', '.join(_KINDS)} are")
    name = clean(head.code or head.name or source.name)
    found = {input_.stem: (input_, answer) for input_, answer in pairs(source, root / "tests")}
    if not found:
        raise source.tree.error(root / "tests", "has no test cases", "export the task again: its tests are generated")
    draft.title = head.title or head.name or draft.name
    outputs = kind == "OutputOnly"
    manager = _manager(draft, head) if kind == "Communication" else None
    _add_tests(draft, found, before="output_" if outputs else "")
    limits = Limits() if outputs else _limits(draft, head)
    checker, grader = Comparison() if manager else _checker(source), _grader(source, name)
    there = {
        "has_checker": isinstance(checker, Program),
        "has_grader": grader is not None,
        "has_manager": bool(manager),
    }
    for key, has in there.items():
        if (stated := getattr(head, key)) is not None and stated != has and not (manager and key == "has_checker"):
            what = f"{key} is {str(stated).lower()}, and the task has {'one' if has else 'none that is read'}"
            raise draft.error(what, "correct it, or the place of the program")
    _add_statements(draft)
    _add_solutions(draft)
    return replace(
        draft.build("en"),
        title={"en": head.title or head.name or name},
        limits=limits,
        checker=checker,
        manager=manager,
        kind="submit-answer" if outputs else "batch",
        grader=grader,
    )


def _limits(draft: Draft, head: ProblemJson) -> Limits:
    if head.time_limit is None or head.memory_limit is None:
        draft.assume("a limit of 1 s or 256 MiB, where none is stated")
    memory = head.memory_limit or 256
    return Limits(
        cpu_ns=round((head.time_limit or 1.0) * SECOND_NS),
        memory_bytes=round(memory if memory >= _LEAST_BYTES else memory * MIB),
    )


def _add_tests(draft: Draft, found: dict[str, tuple[Path, Path]], before: str) -> None:
    """Add tests under the names that the task gives them, by which outputs are handed in: those begin with `before`."""
    source = draft.source
    stated = [path for path in draft.list_files("subtasks") if path.suffix == ".json"]
    subtasks = [(path, source.read_json(path, SubtaskJson)) for path in stated] or _of_repository(source)
    if not subtasks:
        for name, files in found.items():
            draft.add_test(*files, f"{before}{clean(name)}")
        draft.count_tests(100.0)
        return
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
        for name in dict.fromkeys(subtask.testcases):
            draft.add_test(*found[name], f"{before}{clean(name)}", group)
        if not samples:
            draft.groups.append(Group(name=group, points=subtask.score, aggregation=Aggregation.MIN))
    for name in found.keys() - used:
        source.lose(found[name][0], "is in no subtask", "name it in one")


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


def _checker(source: Source) -> Checker:
    file = source.file("checker", "checker.cpp")
    return Comparison(mode=Mode.TOKENS_BY_EVERY_LINE) if file is None else source.checker(file, Convention.CMS)


def _manager(draft: Draft, head: ProblemJson) -> Manager:
    file = draft.source.file("graders", "manager.cpp")
    if file is None:
        raise draft.error("is a task of type Communication, but has no graders/manager.cpp", "add it")
    try:
        stated = json.loads(head.task_type_params or "{}") if isinstance(head.task_type_params, str) else None
    except (ValueError, RecursionError):
        stated = None
    processes = stated.get(_PROCESSES, 1) if isinstance(stated, dict) else 1
    if not isinstance(processes, int) or not 1 <= processes <= MOST_PROCESSES:
        what = f"task_type_params: {str(processes)[:40]} processes"
        raise draft.error(what, f"state a number from 1 to {MOST_PROCESSES}")
    return Manager(program=draft.source.checker(file, Convention.CMS), processes=processes)


def _grader(source: Source, name: str) -> Grader | None:
    for place in ("graders", "grader"):
        files = [path for path in source.entries(source.tree.root / place) if path.is_file() and path.stem != "manager"]
        if files:
            return source.grader(files, name)
    below = [path for child in source.entries(source.tree.root / "grader") for path in source.entries(child)]
    return source.grader([path for path in below if path.is_file()], name) if below else None


def _add_statements(draft: Draft) -> None:
    for path in (*draft.list_files("statements"), *draft.list_files("statement")):
        language = path.stem.partition("_")[0] if path.suffix == ".pdf" else "en" if path.name == "index.md" else ""
        if len(language) in (2, 3) and language.isascii() and language.isalpha():
            draft.statements.setdefault(language.lower(), path)


def _add_solutions(draft: Draft) -> None:
    """Of a repository: solutions.json says what each is worth. An exported task does not say it."""
    path = draft.source.file(_SOLUTIONS)
    if path is None:
        return
    for name, one in draft.source.read_json_map(path, SolutionJson).items():
        file = draft.source.find_named(draft.directory / "solution", name, path)
        draft.add_labelled(file, one.verdict, _EXPECTED, path)


FORMAT = of_source(
    name="tps",
    holds="a task of TPS (problem.json and tests/)",
    find_head=lambda source: source.file(_HEAD) if (source.tree.root / "tests").is_dir() else None,
    read=_read,
    head=_HEAD,
)
