"""What clients send, as pydantic models: an unknown field or a wrong type is named. Times in ns, sizes in bytes."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from judge import languages
from judge.common.errors import ConfigError, LanguageError
from judge.common.execution import MOST_RUNS, Program
from judge.common.fields import Strict
from judge.common.models import Cjk, Options, Stop, Submission
from judge.common.whole import encode_text, whole
from judge.judging.sources import MOST_FILES
from judge.languages.options import with_options
from judge.store.recent import Fresh
from problems.errors import ProblemError, UnknownProblem
from problems.lookup import find_named
from problems.model import MIB, SECOND_NS, usual_wall_ns

#: What a client may ask for at most.
MOST_CPU_NS, MOST_MEMORY_BYTES, MOST_OUTPUT_BYTES = 600 * SECOND_NS, 64 * 1024 * MIB, 64 * MIB
#: How a package that was sent is named, and its digest.
PACKAGE, DIGEST = "package:", "[0-9a-f]{64}"
#: Of one text of JSON: brackets that open, commas and strings. (10 000 submissions with all their fields have half.)
_MOST_VALUES = 1_000_000
#: One without an end goes on to the end of the text.
_STRINGS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?P<end>"?+)', re.DOTALL)
_HEX = frozenset("0123456789abcdef")
_Cpu = Annotated[int, Field(gt=0, le=MOST_CPU_NS)]
_Memory = Annotated[int, Field(gt=0, le=MOST_MEMORY_BYTES)]


def _language(name: str) -> str:
    try:
        return languages.get(name).name
    except LanguageError as error:
        raise ValueError(str(error)) from error


#: Problems are found by their names once a second.
_NAMED = Fresh(find_named, 1.0, 1000)
#: The context in which a request is read that was accepted: its problem is not looked for again.
ACCEPTED = "accepted"


def _problem(name: str, asked: ValidationInfo) -> str:
    """By name only: a path would read the server's files."""
    if asked.context == ACCEPTED:
        return name
    if name.startswith(PACKAGE) and len(name) == len(PACKAGE) + 64 and set(name[len(PACKAGE) :]) <= _HEX:
        return name
    try:
        _NAMED.get(name)
    except UnknownProblem as error:
        raise ValueError(unknown_problem(error)) from error
    except ProblemError as error:
        raise ValueError(str(error)) from error
    return name


def unknown_problem(error: UnknownProblem) -> str:
    """For clients and pages: its own message names a command, which they may not have."""
    hint = f"did you mean {', '.join(error.nearest)}?" if error.nearest else "/problems and /v1/problems list them"
    return f"unknown problem {error.name!r}; {hint}"


def json_body(schema: dict[str, Any]) -> dict[str, Any]:
    """What /openapi.json says of a route that reads its body itself."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def check_values(text: str | bytes) -> None:
    """
    Raises:
        ValueError: this JSON has so many values that they would take far more memory than the text, and much time.
    """
    if len(text) < MIB:
        return
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    count = last = 0
    for string in _STRINGS.finditer(content):
        count += 1 + _count_values(content, last, string.start())
        if count > _MOST_VALUES:
            break
        last = string.end() if string["end"] else string.start()
    else:
        count += _count_values(content, last, len(content))
    if count > _MOST_VALUES:
        raise ValueError(f"JSON may have {_MOST_VALUES} brackets, commas and strings")


def _count_values(content: bytes, begin: int, end: int) -> int:
    return sum(content.count(one, begin, end) for one in (b",", b"[", b"{"))


def json_value(text: str | bytes) -> Any:
    """
    Raises:
        ValueError: it is no JSON, or nested too deeply, or has too many values.
    """
    check_values(text)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {str(error)[:200]}") from error


def json_object(text: str | bytes) -> dict[str, Any]:
    """As `json_value`, and an object."""
    found = json_value(text)
    if not isinstance(found, dict):
        raise ValueError("the body must be an object")
    return found


def plain(value: Any) -> Any:
    """A value as JSON can hold it: lone surrogates, which JSON can spell, are U+FFFD, and no number is null."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, dict):
        return {plain(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


#: Text whose lone surrogates, which JSON can spell, are U+FFFD: no file and no program can hold one.
Text = Annotated[str, AfterValidator(whole)]
_Language = Annotated[str, Field(max_length=100), AfterValidator(_language)]


def _is_base64(text: str) -> str:
    _decode_text("the content", text)
    return text


_Base64 = Annotated[str, AfterValidator(_is_base64)]


class OptionsRequest(Strict):
    """As `judge.Options`."""

    stop: Stop = Stop.NEVER
    at_least: Annotated[float, Field(ge=0, le=1)] = 0.0
    confirm_tle: bool = True
    efficiency: bool = False
    language_multiplier: bool = True
    cpu_ns: _Cpu | None = None
    memory_bytes: _Memory | None = None
    compile_cpu_ns: _Cpu | None = None
    compile_memory_bytes: _Memory | None = None
    cjk: Cjk = Cjk.FLAG
    verdict_cache: bool = False
    #: Bytes of each test's output that are stored and sent.
    shown_bytes: Annotated[int, Field(gt=0, le=64 * 1024)] = 4096


class JudgementRequest(Strict):
    """`problem`: a name, or `package:` and the digest of a package that was sent. `files`: the other files of the
    program by their names, in base64; it begins with `source`."""

    source: Text
    #: Instead of `source`, for bytes that are no UTF-8.
    source_base64: _Base64 | None = None
    files: Annotated[dict[Text, _Base64], Field(max_length=MOST_FILES)] = Field(default_factory=dict)
    problem: Annotated[str, Field(max_length=200), AfterValidator(_problem)]
    language: _Language = "cpp17"
    #: Where the program itself named its language: the one that it would have had. Who chose it answers for it.
    default_language: _Language | None = None
    id: Annotated[Text, Field(max_length=200)] | None = None
    options: OptionsRequest = OptionsRequest()

    @property
    def package(self) -> str | None:
        """The digest of the package that was sent."""
        return self.problem.removeprefix(PACKAGE) if self.problem.startswith(PACKAGE) else None

    def submission(self, problem: str | Path) -> Submission:
        files = tuple((name, base64.b64decode(content)) for name, content in sorted(self.files.items()))
        return Submission(
            source=_source(self),
            problem=problem,
            language=self.language,
            id=self.id,
            files=files,
            default_language=self.default_language,
        )

    def judge_options(self) -> Options:
        return Options(**{name: getattr(self.options, name) for name in OptionsRequest.model_fields})


class ExecutionRequest(Strict):
    """As `judge.Program`; files, sources and, if `stdin_base64` is given, the input are base64."""

    source: Text
    #: Instead of `source`, for bytes that are no UTF-8.
    source_base64: _Base64 | None = None
    sources: Annotated[dict[Text, _Base64], Field(max_length=MOST_FILES)] = Field(default_factory=dict)
    language: _Language = "cpp17"
    stdin: Text = ""
    stdin_base64: _Base64 | None = None
    arguments: Annotated[tuple[Text, ...], Field(max_length=1000)] = ()
    files: Annotated[dict[Text, str], Field(max_length=1000)] = Field(default_factory=dict)
    collect: Annotated[tuple[Text, ...], Field(max_length=1000)] = ()
    cpu_ns: _Cpu = 10 * SECOND_NS
    wall_ns: _Cpu | None = None
    memory_bytes: _Memory = 512 * MIB
    output_bytes: Annotated[int, Field(gt=0, le=MOST_OUTPUT_BYTES)] = 16 * MIB
    compile_cpu_ns: _Cpu | None = None
    compile_memory_bytes: _Memory | None = None
    compiler_options: Annotated[tuple[Text, ...], Field(max_length=1000)] = ()
    #: Together they take at most what one run may.
    runs: Annotated[int, Field(ge=1, le=MOST_RUNS)] = 1
    id: Annotated[Text, Field(max_length=200)] | None = None

    @field_validator("compiler_options")
    @classmethod
    def _are_options(cls, options: tuple[str, ...], asked: ValidationInfo) -> tuple[str, ...]:
        try:
            with_options(languages.get(asked.data.get("language", "c17")), options)
        except ConfigError as error:
            raise ValueError(str(error)) from error
        return options

    @field_validator("runs")
    @classmethod
    def _are_short(cls, runs: int, asked: ValidationInfo) -> int:
        longest_ns = asked.data.get("wall_ns") or usual_wall_ns(asked.data.get("cpu_ns", 0))
        if runs > 1 and runs * longest_ns > MOST_CPU_NS:
            raise ValueError(f"all runs together may take {MOST_CPU_NS / SECOND_NS:g} s")
        return runs

    @field_validator("arguments")
    @classmethod
    def _are_arguments(cls, arguments: tuple[str, ...]) -> tuple[str, ...]:
        try:
            Program(source=b"", arguments=arguments)
        except ConfigError as error:
            raise ValueError(str(error)) from error
        return arguments

    @field_validator("files")
    @classmethod
    def _are_base64(cls, files: dict[str, str]) -> dict[str, str]:
        for name, content in files.items():
            _decode_text(name, content)
        try:
            Program(source=b"", files=dict.fromkeys(files, b""))
        except ConfigError as error:
            raise ValueError(str(error)) from error
        return files

    @field_validator("collect")
    @classmethod
    def _are_names(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        try:
            Program(source=b"", collect=names)
        except ConfigError as error:
            raise ValueError(str(error)) from error
        return names

    def program(self) -> Program:
        same = (
            "language",
            "collect",
            "cpu_ns",
            "wall_ns",
            "memory_bytes",
            "output_bytes",
            "compiler_options",
            "runs",
            "id",
        )
        return Program(
            source=_source(self),
            sources=tuple((name, base64.b64decode(content)) for name, content in sorted(self.sources.items())),
            stdin=encode_text(self.stdin)
            if self.stdin_base64 is None
            else _decode_text("stdin_base64", self.stdin_base64),
            arguments=self.arguments,
            files={name: _decode_text(name, content) for name, content in self.files.items()},
            compile_cpu_ns=self.compile_cpu_ns,
            compile_memory_bytes=self.compile_memory_bytes,
            **{name: getattr(self, name) for name in same},
        )


def _source(request: JudgementRequest | ExecutionRequest) -> bytes:
    return encode_text(request.source) if request.source_base64 is None else base64.b64decode(request.source_base64)


def _decode_text(name: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"{name[:100]}: not base64: {error}") from error
