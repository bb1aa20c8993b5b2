"""Frontier-CS: a folder, or a folder of folders, each with config.yaml, statement.txt and testdata/.

config.yaml     type default|interactive, time "2s", memory "512m", checker (chk.cc), interactor (interactor.cc),
                subtasks [{n_cases 3}] or [{cases [{input, output, time, memory}]}], input_prefix, input_suffix (.in),
                output_prefix, output_suffix (.ans)
testdata/       1.in, 1.ans, 2.in, …

Its judge (algorithmic/judge/src) takes the mean of all tests, whatever `score` says. A checker or an interactor of
testlib says by a word "Ratio: 0.5" which part of a test it gives, and perhaps by "RatioUnbounded: 1.5" its raw score.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from problems.files.languages import by_suffix
from problems.importing.draft import Draft, of_folders
from problems.importing.keys import Foreign
from problems.importing.source import cases
from problems.importing.understood import may_decide
from problems.model import (
    MIB,
    SECOND_NS,
    Comparison,
    Convention,
    Group,
    Limits,
    Normaliser,
    Objective,
    Problem,
    Total,
)

_CONFIG, _DATA, _STATEMENT = "config.yaml", "testdata", "statement.txt"
_TIME = {"ms": SECOND_NS // 1000, "s": SECOND_NS}
_MEMORY = {"k": 1024, "m": MIB, "g": 1024 * MIB}
_MOST_TESTS = 10_000


class CaseYaml(Foreign):
    input: str
    output: str
    time: str | None = None
    memory: str | None = None


class SubtaskYaml(Foreign):
    score: Any = None
    n_cases: Annotated[int, Field(ge=0, le=_MOST_TESTS)] | None = None
    cases: tuple[CaseYaml, ...] = ()
    time: str | None = None
    time_limit: str | None = None
    memory: str | None = None
    memory_limit: str | None = None


class ConfigYaml(Foreign):
    type: Literal["default", "interactive"] = "default"
    time: str | None = None
    time_limit: str | None = None
    memory: str | None = None
    memory_limit: str | None = None
    checker: str = "chk.cc"
    interactor: str = "interactor.cc"
    checker_type: Literal["testlib"] = "testlib"
    interactor_type: Literal["testlib"] = "testlib"
    input_prefix: str = ""
    output_prefix: str = ""
    input_suffix: str = ".in"
    output_suffix: str = ".ans"
    subtasks: Annotated[tuple[SubtaskYaml, ...], Field(min_length=1)]
    #: What the source of a submission is called.
    filename: Any = None


def _is_problem(directory: Path) -> bool:
    return (
        (directory / _CONFIG).is_file() and (directory / _DATA).is_dir() and not (directory / "problem.yaml").exists()
    )


def _read(draft: Draft) -> Problem:
    source, path = draft.source, draft.source.inside(draft.path)
    config = source.read_yaml(path, ConfigYaml)
    usual = _add_tests(draft, config)
    interactive = config.type == "interactive"
    file = draft.find(config.interactor if interactive else config.checker)
    program = source.checker(file, Convention.FRONTIER_CS)
    if not interactive and "interactor" in config.model_fields_set and config.interactor != config.checker:
        raise draft.error("interactor is not used with type default", "write type: interactive", "interactor")
    if interactive and "checker" in config.model_fields_set:
        draft.note("checker is not imported: the interactor judges")
        source.file(*(draft.directory / config.checker).relative_to(source.tree.root).parts)
    _pass_over(draft)
    if (statement := draft.directory / _STATEMENT).is_file():
        draft.add_statement("en", source.text(source.inside(statement)))
    draft.groups.append(Group(name="secret", points=100.0))
    draft.title = draft.name
    return replace(
        draft.build("en"),
        limits=usual,
        checker=Comparison() if interactive else program,
        kind="interactive" if interactive else "batch",
        interactor=program if interactive else None,
        objective=Objective(normaliser=Normaliser.OWN, best=1.0, baseline=0.0, total=Total.MEAN),
    )


def _pass_over(draft: Draft) -> None:
    """config.yaml names all that its judge takes. Examples and tools lie beside it, and answers of two suffixes."""
    source = draft.source
    source.aside.add(draft.directory / "examples")
    for file in (*draft.list_files(), *draft.list_files(_DATA)):
        if file in source.seen or not file.is_file():
            continue
        if by_suffix(file.suffix) and not may_decide(file.stem, ()):
            source.note(file, f"is not imported: {draft.path.name} does not name it")
        elif file.suffix == ".out" and file.with_suffix(".ans") in source.seen:
            source.note(file, f"is not imported: {file.stem}.ans stands for it")


def _add_tests(draft: Draft, config: ConfigYaml) -> Limits:
    """Add the tests. Returns the limits of the problem."""
    usual = _limits(draft, Limits(), config.time_limit or config.time, config.memory_limit or config.memory)
    files: list[tuple[Path, Path]] = []
    limits: list[Limits] = []
    first = 1
    for index, subtask in enumerate(config.subtasks):
        within = _limits(draft, usual, subtask.time_limit or subtask.time, subtask.memory_limit or subtask.memory)
        if subtask.n_cases is None and not subtask.cases:
            what = f"subtask {index + 1} has neither n_cases nor cases"
            raise draft.error(what, "state one", "subtasks", index)
        stated = subtask.cases
        if subtask.n_cases is not None:
            stated = tuple(
                CaseYaml(
                    input=f"{config.input_prefix}{count}{config.input_suffix}",
                    output=f"{config.output_prefix}{count}{config.output_suffix}",
                )
                for count in range(first, first + subtask.n_cases)
            )
            first += subtask.n_cases
        for one in stated:
            limits.append(_limits(draft, within, one.time, one.memory))
            files.append((draft.find(one.input, draft.directory / _DATA), _find_answer(draft, one.output)))
    if not files:
        raise draft.error("has no test cases", "name them in subtasks")
    made = zip(cases(files), limits, strict=True)
    draft.tests += [replace(case, limits=None if own == usual else own) for case, own in made]
    return usual


def _find_answer(draft: Draft, name: str) -> Path:
    """As its judge looks for it: with .ans in place of .out, if there is such a file."""
    data, other = draft.directory / _DATA, f"{name.removesuffix('.out')}.ans"
    return draft.find(other if name.endswith(".out") and (data / other).is_file() else name, data)


def _limits(draft: Draft, usual: Limits, time: str | None, memory: str | None) -> Limits:
    return draft.read_limits(usual, (time, _TIME), (memory, _MEMORY))


FORMAT = of_folders(
    name="frontier-cs",
    holds="Frontier-CS's config.yaml and testdata/",
    is_problem=_is_problem,
    read=_read,
    head=_CONFIG,
)
