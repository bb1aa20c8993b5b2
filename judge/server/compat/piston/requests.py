"""What clients of Piston send, read as it reads them, and the program that they mean."""

from __future__ import annotations

import base64
import binascii
from functools import cache
from typing import Any

from judge import languages
from judge.common.errors import ConfigError
from judge.common.execution import Program
from judge.common.whole import encode_text
from judge.languages import Language
from judge.server.compat.piston import graders
from judge.server.requests import MOST_CPU_NS, MOST_MEMORY_BYTES, json_object
from problems.model import MIB

_MS = 1_000_000
_COMPILE_MS, _RUN_MS = 10_000, 3_000
_MEMORY_BYTES = 1024 * MIB

_TEXT, _TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
_MILLISECONDS = {"type": "number", "minimum": 0, "maximum": MOST_CPU_NS // _MS}
_KNOWN = [name for each in languages.names() for name in (each, *languages.get(each).aliases)]
_NAMED: dict[str, Any] = {
    "language": {"enum": [*_KNOWN, graders.IOI, *graders.CODEFORCES], "examples": ["python3"]},
    "version": {"type": "string", "pattern": r"^[~^>=v ]*[0-9xX*]+(\.[0-9xX*]+)*$", "examples": ["*"]},
}
_BYTES = {"type": "number"}


def _file(encoding: str, content: str) -> dict[str, Any]:
    """A file whose content is as a pattern says."""
    properties = {"name": _TEXT, "content": {"type": "string", "pattern": content}, "encoding": {"const": encoding}}
    return {"type": "object", "properties": properties, "required": ["content"]}


#: The bodies of /packages and /execute, for /openapi.json.
PACKAGE: dict[str, Any] = {"type": "object", "properties": _NAMED, "required": [*_NAMED]}
EXECUTE: dict[str, Any] = {
    "type": "object",
    "properties": {
        **_NAMED,
        "files": {
            "type": "array",
            "minItems": 1,
            "items": {
                "anyOf": [
                    _file("utf8", ""),
                    _file("base64", "^([A-Za-z0-9+/]{4})*$") | {"required": ["content", "encoding"]},
                    _file("hex", "^([0-9a-f]{2})*$") | {"required": ["content", "encoding"]},
                ]
            },
        },
        "stdin": _TEXT,
        "args": _TEXTS,
        **dict.fromkeys(("run_timeout", "run_cpu_time", "compile_timeout", "compile_cpu_time"), _MILLISECONDS),
        **dict.fromkeys(("run_memory_limit", "compile_memory_limit"), _BYTES),
    },
    "required": [*_NAMED, "files"],
}


class Wrong(Exception):
    """A request that it answers with 400."""


@cache
def version(name: str) -> str | None:
    return languages.get(name).status().version


def body(text: bytes) -> dict[str, Any]:
    try:
        return json_object(text)
    except ValueError as error:
        raise Wrong(str(error)) from error


def read_language(asked: dict[str, Any]) -> tuple[str, str]:
    """The language and the version that are wanted."""
    for name in ("language", "version"):
        if not isinstance(asked.get(name), str) or not asked[name]:
            raise Wrong(f"{name} is required as a string")
    return asked["language"], asked["version"]


def files(asked: dict[str, Any]) -> list[tuple[str, bytes]]:
    """Names and contents, the main file first."""
    given = asked.get("files")
    if not isinstance(given, list) or not given:
        raise Wrong("files is required as an array")
    return [_content(number, file) for number, file in enumerate(given)]


def read_graded(asked: dict[str, Any]) -> graders.Asked | None:
    """What is to be graded, if the request is for a package of open-r1."""
    language, _ = read_language(asked)
    if language != graders.IOI and language not in graders.CODEFORCES and "files" not in asked:
        return None
    found = files(asked)
    if not graders.is_meant(language, [name for name, _ in found]):
        return None
    timeout = _number(asked, "run_timeout", _RUN_MS) if asked.get("run_timeout") else None
    memory = _memory(asked, "run_memory_limit")
    return graders.Asked(language=language, files=dict(found), run_timeout_ms=timeout, run_memory_bytes=memory)


def program(asked: dict[str, Any]) -> Program:
    language = runtime(*read_language(asked))
    contents = files(asked)
    stdin = _read_typed(asked, "stdin", str, "")
    wall_ms = _number(asked, "run_timeout", _RUN_MS)
    try:
        return Program(
            source=contents[0][1],
            sources=tuple(one for one in contents[1:] if one[0].endswith(language.compile.units)),
            language=language.name,
            stdin=encode_text(stdin if stdin.endswith("\n") or not stdin else stdin + "\n"),
            arguments=tuple(str(one) for one in _read_typed(asked, "args", list, [])),
            files=dict(contents[1:]),
            cpu_ns=min(_number(asked, "run_cpu_time", _RUN_MS), wall_ms) * _MS,
            wall_ns=None if wall_ms == _RUN_MS else wall_ms * _MS,
            memory_bytes=_memory(asked, "run_memory_limit") or _MEMORY_BYTES,
            compile_cpu_ns=min(_number(asked, name, _COMPILE_MS) for name in ("compile_cpu_time", "compile_timeout"))
            * _MS,
            compile_memory_bytes=_memory(asked, "compile_memory_limit"),
        )
    except ConfigError as error:
        raise Wrong(str(error)) from error


def runtime(name: str, wanted: str) -> Language:
    language = languages.find(name)
    service = None if language is None else version(language.name)
    if language is None or service is None or not _selects(wanted, service):
        raise Wrong(f"{name}-{wanted} runtime is unknown")
    return language


def _selects(wanted: str, service: str) -> bool:
    """Whether a selector (`*`, `3`, `3.x`, `^3.10`, `>=3`) takes a version: its leading numbers are ours, or older."""
    wanted = wanted.strip()
    kind = wanted[: len(wanted) - len(wanted.lstrip("^~>=v "))].replace("v", "").strip()
    parts = [part for part in wanted.lstrip("^~>=v ").split(".") if part not in ("x", "X", "*", "")]
    try:
        asked = [int(part) for part in parts]
        ours = [int("".join(c for c in part if c.isdigit()) or 0) for part in service.split(".")[: max(3, len(asked))]]
    except ValueError:
        return False
    if kind.startswith((">", "^")):
        same = not kind.startswith("^") or not asked or asked[0] == ours[0]
        return same and ours[: len(asked)] >= asked
    if kind.startswith("~"):
        return ours[: min(2, len(asked))] == asked[:2] and ours[: len(asked)] >= asked
    return ours[: len(asked)] == asked


def _content(number: int, file: object) -> tuple[str, bytes]:
    if not isinstance(file, dict) or not isinstance(file.get("content"), str):
        raise Wrong(f"files[{number}].content is required as a string")
    name, text, encoding = file.get("name") or f"file{number}.code", file["content"], file.get("encoding")
    if not isinstance(name, str):
        raise Wrong(f"files[{number}].name must be a string")
    try:
        if encoding == "base64":
            return name, base64.b64decode(text)
        return name, bytes.fromhex(text) if encoding == "hex" else encode_text(text)
    except (binascii.Error, ValueError) as error:
        raise Wrong(f"files[{number}].content is not {encoding}") from error


def _read_typed(asked: dict[str, Any], name: str, kind: type, default: Any) -> Any:
    value = asked.get(name) or default
    if not isinstance(value, kind):
        raise Wrong(f"if specified, {name} must be of type {'string' if kind is str else 'array'}")
    return value


def _number(asked: dict[str, Any], name: str, default: int) -> int:
    value = asked.get(name) or default
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Wrong(f"if specified, {name} must be of type number")
    if not 0 < value * _MS <= MOST_CPU_NS:
        raise Wrong(f"{name} cannot exceed the configured limit of {MOST_CPU_NS // _MS}")
    return max(1, int(value))


def _memory(asked: dict[str, Any], name: str) -> int | None:
    value = asked.get(name) or -1
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Wrong(f"if specified, {name} must be of type number")
    return min(int(value), MOST_MEMORY_BYTES) if 0 < value < float("inf") else None
