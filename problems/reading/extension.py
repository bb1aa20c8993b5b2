"""Reads judge.yaml: what a problem may state beyond the package format. Other tools ignore the file.

    comparison: {mode: lines}                   built-in comparison, instead of output_validator_args
    checker: {convention: testlib}              about the program in output_validator/ (judge.checkers.conventions)
    interactor: {convention: testlib}           about the program in interactor/ (or output_validator/)
    manager: {processes: 2, convention: cms}    communication problem: about the program in manager/
    static_validator: {main: look.py}           about the program in static_validator/
    file_io: {input: P1001.in, output: P1001.out}
    grader: {submission_name: {cpp: game.cpp}}  about include/
            {before: {cpp: "#include <game.h>"}, after: {}}   code around each submission
    function: {name: twoSum, integer_keys: false}   a function that submissions define, called by the judge
    limits: {memory_bytes: 131072000}           limits that are not a whole number of the format's units
    groups: {secret/1: {points: 12.5, aggregation: product, requires: [sample], counted: true,
             within: secret, void_if_refused: false, least: -50}}
            {secret/2: {script: {text: "@total_score = @score3; …", numbers: {secret/2/01: 3}}}}  see `text.script`
    objective: {direction: min, normaliser: ratio, best: 120, baseline: 400, total: sum}   raw scores without a ceiling
    cases: {secret/01: {limits: {cpu_ns: 2000000000}, weight: 2, full_score: 50, comparison: {mode: exact}}}
           {secret/02: {best: 120, baseline: 400}}   raw scores of this test
    submissions: {mixed/slow.cpp: [TLE, MLE]}   verdicts of a submission, where no directory name says them

`problems.writing.write` writes only what the format cannot state.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Field, model_validator

from problems.files.tree import Tree
from problems.files.yamlfile import Strict, read_yaml
from problems.model import (
    MOST_BYTES,
    MOST_NS,
    MOST_POINTS,
    MOST_PROCESSES,
    MOST_RAW_SCORE,
    Aggregation,
    Comparison,
    Convention,
    Direction,
    Equality,
    FileIO,
    Function,
    Group,
    Limits,
    Mode,
    Normaliser,
    Objective,
    Program,
    ScoringScript,
    Total,
)
from problems.reading.metadata import Arguments
from problems.text.script import MOST_CHARACTERS

Time = Annotated[int, Field(gt=0, le=MOST_NS)]
Size = Annotated[int, Field(gt=0, le=MOST_BYTES)]
Weight = Annotated[float, Field(ge=0, le=MOST_POINTS, allow_inf_nan=False)]
RawScore = Annotated[float, Field(ge=-MOST_RAW_SCORE, le=MOST_RAW_SCORE, allow_inf_nan=False)]
Tolerance = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Identifier = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", max_length=200)]


Verdict = Literal["AC", "PC", "PE", "WA", "TLE", "MLE", "OLE", "RE", "CE"]


class LimitsExtension(Strict):
    cpu_ns: Time | None = None
    wall_ns: Time | None = None
    memory_bytes: Size | None = None
    output_bytes: Size | None = None
    code_bytes: Size | None = None

    def over(self, limits: Limits) -> Limits:
        return dataclasses.replace(limits, **self.model_dump(exclude_none=True))


class ComparisonYaml(Strict):
    mode: Mode
    case_sensitive: bool = True
    space_sensitive: bool = False
    absolute_tolerance: Tolerance | None = None
    relative_tolerance: Tolerance | None = None
    presentation_error: bool = False

    def build(self) -> Comparison:
        return Comparison(**self.model_dump())


class ProgramYaml(Strict):
    convention: Convention | None = None
    language: str | None = None
    #: File name of the source to compile; None: found as in any package.
    main: str | None = None
    arguments: Arguments = ()
    limits: LimitsExtension | None = None

    def apply(self, program: Program) -> Program:
        limits = program.limits if self.limits is None else self.limits.over(program.limits)
        language = self.language or program.language
        return dataclasses.replace(program, language=language, arguments=self.arguments, limits=limits)


class ManagerYaml(ProgramYaml):
    processes: Annotated[int, Field(ge=1, le=MOST_PROCESSES)]
    fifos: bool | Literal["swapped"] = False


class FileIOYaml(Strict):
    input: FileName | None = None
    output: FileName | None = None

    def build(self) -> FileIO:
        return FileIO(input=self.input, output=self.output)


class FunctionYaml(Strict):
    name: Identifier
    integer_keys: bool = False
    python_values: bool = False
    equality: Equality = Equality.VALUES

    def build(self) -> Function:
        return Function(**self.model_dump())


class GraderYaml(Strict):
    submission_name: dict[str, FileName] = Field(default_factory=dict)
    before: dict[str, str] = Field(default_factory=dict)
    after: dict[str, str] = Field(default_factory=dict)


class ScriptYaml(Strict):
    text: Annotated[str, Field(max_length=MOST_CHARACTERS)]
    numbers: dict[str, Annotated[int, Field(ge=0, le=10**9)]]


class GroupExtension(Strict):
    points: Weight | None = None
    least: Annotated[float, Field(le=0)] | None = None
    aggregation: Aggregation | None = None
    requires: tuple[str, ...] | None = None
    within: str | None = None
    void_if_refused: bool | None = None
    counted: bool | None = None
    script: ScriptYaml | None = None

    def over(self, group: Group) -> Group:
        stated = self.model_dump(exclude_none=True)
        if self.script is not None:
            stated["script"] = ScoringScript(text=self.script.text, numbers=MappingProxyType(self.script.numbers))
        return dataclasses.replace(group, **stated)


class ObjectiveYaml(Strict):
    direction: Direction = Direction.MAX
    normaliser: Normaliser = Normaliser.RATIO
    best: RawScore | None = None
    baseline: RawScore | None = None
    kept: tuple[RawScore, ...] = ()
    total: Total = Total.SUM

    @model_validator(mode="after")
    def _check_kept(self) -> ObjectiveYaml:
        if (self.normaliser is Normaliser.RANK) is not bool(self.kept):
            raise ValueError("kept and normaliser: rank belong together")
        return self

    def build(self) -> Objective:
        return Objective(**{name: getattr(self, name) for name in type(self).model_fields})


class CaseExtension(Strict):
    limits: LimitsExtension | None = None
    weight: Weight | None = None
    full_score: Annotated[float, Field(gt=0, le=MOST_POINTS, allow_inf_nan=False)] | None = None
    best: RawScore | None = None
    baseline: RawScore | None = None
    comparison: ComparisonYaml | None = None


class Extension(Strict):
    comparison: ComparisonYaml | None = None
    checker: ProgramYaml | None = None
    interactor: ProgramYaml | None = None
    manager: ManagerYaml | None = None
    static_validator: ProgramYaml | None = None
    file_io: FileIOYaml | None = None
    function: FunctionYaml | None = None
    grader: GraderYaml = Field(default_factory=GraderYaml)
    limits: LimitsExtension | None = None
    groups: dict[str, GroupExtension] = Field(default_factory=dict)
    objective: ObjectiveYaml | None = None
    cases: dict[str, CaseExtension] = Field(default_factory=dict)
    submissions: dict[str, tuple[Verdict, ...]] = Field(default_factory=dict)


def read_extension(tree: Tree, path: Path) -> Extension:
    return read_yaml(tree, path, Extension)
