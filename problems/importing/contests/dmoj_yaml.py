"""The keys of DMOJ's init.yml."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from problems.importing.keys import Foreign, Points

_OUTPUT_BYTES = 24 << 20

Seconds = Annotated[float, Field(gt=0, le=10**4, allow_inf_nan=False)]


class CheckerYaml(Foreign):
    name: str
    args: dict[str, Any] = Field(default_factory=dict)


class CaseYaml(Foreign):
    input: str | None = Field(default=None, alias="in")
    output: str | None = Field(default=None, alias="out")
    points: Points | None = None
    checker: str | CheckerYaml | None = None
    generator: Any = None
    generator_args: Any = None
    generator_in: Any = None
    output_limit_length: Annotated[int, Field(gt=0, le=1 << 40)] | None = None
    output_prefix_length: Any = None
    binary_data: Any = None
    time_limit: Seconds | None = None
    memory_limit: Annotated[int, Field(gt=0, le=1 << 34)] | None = None


class BatchYaml(CaseYaml):
    batched: tuple[CaseYaml, ...] | None = None
    dependencies: tuple[int, ...] = ()


class FormatsYaml(Foreign):
    input_format: str | None = None
    output_format: str | None = None
    case_points: tuple[Points, ...] | None = None


class InteractiveYaml(Foreign):
    files: str | tuple[str, ...]
    type: str = "default"
    lang: Any = None
    flags: Any = None
    preprocessing_time: Any = None
    memory_limit: Any = None
    compiler_time_limit: Any = None
    feedback: Any = None
    unbuffered: bool = True
    args_format_string: Any = None


class SignatureYaml(Foreign):
    entry: str
    header: str
    allow_main: bool = False


class FileIoYaml(Foreign):
    """Of VNOJ's judge, which goes on from DMOJ's."""

    input: str | None = None
    output: str | None = None


class InitYaml(Foreign):
    archive: str | None = None
    test_cases: tuple[BatchYaml, ...] | FormatsYaml = FormatsYaml()
    pretest_test_cases: Any = None
    points: Points | None = None
    checker: str | CheckerYaml | None = None
    generator: Any = None
    custom_judge: str | None = None
    interactive: InteractiveYaml | None = None
    signature_grader: SignatureYaml | None = None
    file_io: FileIoYaml | None = None
    output_limit_length: Annotated[int, Field(gt=0, le=1 << 40)] = _OUTPUT_BYTES
    # What the verdict does not depend on.
    output_prefix_length: Any = None
    unbuffered: Any = None
    symlinks: Any = None
    wall_time_factor: Any = None
    hints: Any = None
    validator: Any = None
    binary_data: Any = None
    short_circuit: Any = None
