"""Frontier-CS: a folder, or a folder of folders, each with config.yaml, statement.txt and testdata/.

config.yaml     type default|interactive, time "2s", memory "512m", checker (chk.cc), interactor (interactor.cc),
                subtasks [{n_cases 3}] or [{cases [{input, output, time, memory}]}], input_prefix, input_suffix (.in),
                output_prefix, output_suffix (.ans)
testdata/       1.in, 1.ans, 2.in, …

Its judge (algorithmic/judge/src) takes the mean of all tests, whatever `score` says. A checker or an interactor of
testlib says by a word "Ratio: 0.5" which part of a test it gives, and perhaps by "RatioUnbounded: 1.5" its raw score.
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
from problems.importing.source import Format, Source, cases, clean, number
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
    Program,
    TestCase,
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


def _folders(source: Source) -> list[Path]:
    root = source.tree.root
    return [root] if _is_problem(root) else [child for child in source.entries(root) if _is_problem(child)]


def _problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
    for directory in _folders(source):
        name = clean(source.name if directory == source.tree.root else directory.name)
        yield name, partial(_read, source, directory, name)


def _read(source: Source, directory: Path, name: str) -> Problem:
    path = source.inside(directory / _CONFIG)
    config = source.read_yaml(path, ConfigYaml)
    usual, tests = _tests(source, directory / _DATA, path, config)
    interactive = config.type == "interactive"
    program = _program(source, directory, path, config.interactor if interactive else config.checker)
    if not interactive and "interactor" in config.model_fields_set and config.interactor != config.checker:
        line = source.line_at(path, "interactor")
        raise source.tree.error(path, "interactor is not used with type default", "write type: interactive", line)
    if interactive and "checker" in config.model_fields_set:
        source.note(path, "checker is not imported: the interactor judges")
        source.file(*(directory / config.checker).relative_to(source.tree.root).parts)
    _pass_over(source, directory, path)
    statement = directory / _STATEMENT
    text = source.text(source.inside(statement)) if statement.is_file() else f"# {name}\n"
    objective = Objective(normaliser=Normaliser.OWN, best=1.0, baseline=0.0, total=Total.MEAN)
    return Problem(
        name=name,
        directory=directory,
        title={"en": name},
        limits=usual,
        checker=Comparison() if interactive else program,
        kind="interactive" if interactive else "batch",
        interactor=program if interactive else None,
        groups=(Group(name="secret", points=100.0),),
        objective=objective,
        cases=tests,
        statements={"en": source.make(f"{name}/problem.en.md", text)},
    )


def _program(source: Source, directory: Path, path: Path, name: str) -> Program:
    return source.checker(source.find_named(directory, name, path), Convention.FRONTIER_CS)


def _pass_over(source: Source, directory: Path, path: Path) -> None:
    """config.yaml names all that its judge takes. Examples and tools lie beside it, and answers of two suffixes."""
    source.aside.add(directory / "examples")
    for file in (*source.entries(directory), *source.entries(directory / _DATA)):
        if file in source.seen or not file.is_file():
            continue
        if by_suffix(file.suffix) and not may_decide(file.stem, ()):
            source.note(file, f"is not imported: {path.name} does not name it")
        elif file.suffix == ".out" and file.with_suffix(".ans") in source.seen:
            source.note(file, f"is not imported: {file.stem}.ans stands for it")


def _tests(source: Source, data: Path, path: Path, config: ConfigYaml) -> tuple[Limits, tuple[TestCase, ...]]:
    """The limits of the problem, and the tests."""
    usual = _limits(source, path, Limits(), config.time_limit or config.time, config.memory_limit or config.memory)
    found: list[tuple[Path, Path, Limits]] = []
    first = 1
    for index, subtask in enumerate(config.subtasks):
        within = _limits(
            source, path, usual, subtask.time_limit or subtask.time, subtask.memory_limit or subtask.memory
        )
        if subtask.n_cases is None and not subtask.cases:
            line = source.line_at(path, "subtasks", index)
            raise source.tree.error(path, f"subtask {index + 1} has neither n_cases nor cases", "state one", line)
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
            own = _limits(source, path, within, one.time, one.memory)
            found.append((source.find_named(data, one.input, path), _answer(source, data, path, one.output), own))
    if not found:
        raise source.tree.error(path, "has no test cases", "name them in subtasks")
    made = cases([(given, answer) for given, answer, _ in found])
    return usual, tuple(
        replace(case, limits=None if own == usual else own) for case, (_, _, own) in zip(made, found, strict=True)
    )


def _answer(source: Source, data: Path, path: Path, name: str) -> Path:
    """As its judge looks for it: with .ans in place of .out, if there is such a file."""
    other = f"{name.removesuffix('.out')}.ans"
    return source.find_named(data, other if name.endswith(".out") and (data / other).is_file() else name, path)


def _limits(source: Source, path: Path, usual: Limits, time: str | None, memory: str | None) -> Limits:
    return replace(
        usual,
        cpu_ns=usual.cpu_ns if time is None else number(source, path, time, _TIME, "time"),
        memory_bytes=usual.memory_bytes if memory is None else number(source, path, memory, _MEMORY, "memory"),
    )


FORMAT = Format(
    name="frontier-cs",
    holds="Frontier-CS's config.yaml and testdata/",
    recognises=lambda source: bool(_folders(source)),
    problems=_problems,
)
