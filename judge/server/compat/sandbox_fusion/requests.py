"""What clients of SandboxFusion send. Fields that it does not know, it ignores; so do we. Times in seconds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field

from judge import languages
from judge.common.errors import LanguageError
from judge.server.compat.sandbox_fusion.tested import PYTEST
from problems.files.languages import by_name

Id = int | str
_Names = Annotated[list[str], Field(max_length=1000)]
_Files = Annotated[dict[str, str | None], Field(max_length=1000)]


def our_language(name: str) -> str:
    """Our name of a language of SandboxFusion's. (Its Java fails where an `assert` does.)

    Raises:
        LanguageError: unknown.
    """
    ours = by_name("sandbox_fusion").get(name)
    return ours.name if ours else languages.get(name).name


def _find_language(name: str) -> str:
    if name == PYTEST:  # it is run, and judges nothing
        return name
    try:
        return our_language(name)
    except LanguageError as error:
        raise ValueError(str(error)) from None


_Language = Annotated[str, AfterValidator(_find_language)]


class RunCodeRequest(BaseModel):
    compile_timeout: float = 10
    run_timeout: float = 10
    memory_limit_MB: int = -1
    code: str
    stdin: str | None = ""
    language: _Language
    files: _Files = {}
    fetch_files: _Names = []


class RunJupyterRequest(BaseModel):
    cells: Annotated[list[str], Field(max_length=10_000)]
    cell_timeout: float = 0
    total_timeout: float = 45
    memory_limit_MB: int = -1
    kernel: Literal["python3"] = "python3"
    files: _Files = {}
    fetch_files: _Names = []


class TestConfig(BaseModel):
    __test__ = False  # not a pytest class

    dataset_type: str | None = None
    language: str | None = None
    locale: str | None = None
    is_fewshot: bool | None = None
    compile_timeout: float | None = None
    run_timeout: float | None = None
    custom_extract_logic: str | None = None
    provided_data: Annotated[list[dict[str, Any]], Field(max_length=100_000)] | dict[str, Any] | None = None
    extra: dict[str, Any] = {}


class GetPromptsRequest(BaseModel):
    dataset: str
    config: TestConfig = TestConfig()
    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=0)] = 1_000_000


class GetPromptByIdRequest(BaseModel):
    dataset: str
    config: TestConfig = TestConfig()
    id: Id


class SubmitRequest(BaseModel):
    dataset: str
    id: Id
    completion: str
    config: TestConfig


class EvaluateRequest(BaseModel):
    """Of its fork ScaleBox: the tests come with the request."""

    dataset: str = ""
    id: Id = ""
    completion: str
    config: TestConfig


class GetMetricsRequest(BaseModel):
    dataset: str
    config: TestConfig = TestConfig()
    results: list[dict[str, Any]] = []


class GetMetricsFunctionRequest(BaseModel):
    dataset: str
    config: TestConfig = TestConfig()
