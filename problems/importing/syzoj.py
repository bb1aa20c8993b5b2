"""SYZOJ and LibreOJ: data.yml beside the test files.

data.yml    subtasks [{score, type sum|min|mul, cases [...]}], inputFile "dat#.in", outputFile "dat#.ans", specialJudge
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from problems.importing.source import Foreign, Format, Source, cases, clean, sample_cases
from problems.model import Aggregation, Comparison, Group, Mode, Problem, TestCase
from problems.text.statement import samples as statement_samples

_AGGREGATION = {"sum": Aggregation.SUM, "min": Aggregation.MIN, "mul": Aggregation.PRODUCT}


class SubtaskYaml(Foreign):
    score: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
    type: Literal["sum", "min", "mul"] = "sum"
    cases: tuple[str, ...]


class DataYaml(Foreign):
    subtasks: tuple[SubtaskYaml, ...]
    inputFile: str
    outputFile: str
    userOutput: Any = None
    specialJudge: Any = None
    interactor: Any = None
    extraSourceFiles: Any = None


def _place(source: Source) -> Path | None:
    root = source.tree.root
    return next((place for place in (root, root / "data", root / "testdata") if (place / "data.yml").is_file()), None)


def _problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
    yield clean(source.name), partial(_read, source)


def _read(source: Source) -> Problem:
    place = _place(source) or source.tree.root
    path = place / "data.yml"
    data = source.read_yaml(path, DataYaml)
    for key, what in (
        ("userOutput", "an answer to be submitted"),
        ("interactor", "an interactor"),
        ("extraSourceFiles", "a grader"),
        ("specialJudge", "a checker of its own convention"),
    ):
        if getattr(data, key) is not None:
            raise source.tree.error(path, f"{key}: {what} is not imported", "write it by hand once the rest is there")
    input_, output = data.inputFile, data.outputFile
    tests: list[TestCase] = []
    groups: list[Group] = []
    for index, subtask in enumerate(data.subtasks, 1):
        group = f"secret/{index:03}"
        found = [
            (source.named(place, input_.replace("#", case), path), source.named(place, output.replace("#", case), path))
            for case in subtask.cases
        ]
        if not found:
            raise source.tree.error(path, f"subtask {index} has no cases", "name them")
        tests += cases(found, group)
        groups.append(Group(name=group, points=subtask.score, aggregation=_AGGREGATION[subtask.type]))
    named = {file for case in tests for file in (case.input, case.answer)}
    for other in source.entries(place):
        if other not in named and other.suffix in (".in", ".out", ".ans"):
            source.lose(other, "is in no subtask", "name it in data.yml, or remove it")
    name = clean(source.name)
    written = source.file("statement.md")
    statement = written or source.make(f"{name}/problem.zh.md", f"# {name}\n")
    samples = sample_cases(source, ((one.input, one.output) for one in statement_samples(source.text(statement))), name)
    source.assume(path, "limits of 1 s and 256 MiB, which are not in it; output compared by lines")
    return Problem(
        name=name,
        directory=source.tree.root,
        title={"zh": name},
        checker=Comparison(mode=Mode.LINES),
        groups=((Group(name="sample", counted=False),) if samples else ()) + tuple(groups),
        cases=samples + tuple(tests),
        statements={"zh": statement},
    )


FORMAT = Format(
    name="syzoj",
    holds="SYZOJ's data.yml",
    recognises=lambda source: _place(source) is not None,
    problems=_problems,
)
