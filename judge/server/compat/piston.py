"""Piston's `/api/v2`. (Shapes: its api/src/api/v2.js and job.js.)"""

from __future__ import annotations

import asyncio
import base64
import binascii
import signal
from functools import cache
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from judge import languages
from judge.common.errors import JudgeError
from judge.common.execution import Execution, Program
from judge.common.models import CompileResult, Verdict
from judge.languages import Language
from judge.server.access import TheService
from judge.server.requests import MOST_CPU_NS, MOST_MEMORY_BYTES, encoded, json_object
from problems.model import MIB

router = APIRouter(prefix="/api/v2", tags=["Piston"])

_MS = 1_000_000
_COMPILE_MS, _RUN_MS = 10_000, 3_000
_MEMORY_BYTES = 1024 * MIB
_STATUS = {Verdict.TLE: "TO", Verdict.OLE: "OL", Verdict.IE: "XX"}


class _Wrong(Exception):
    """A request that it answers with 400."""


@router.post("/execute")
async def execute(request: Request, there: TheService) -> Response:
    if not request.headers.get("content-type", "").startswith("application/json"):
        return JSONResponse({"message": "requests must be of type application/json"}, 415)
    try:
        program = _program(_body(await request.body()))
        execution = await there.execute(program)
    except (_Wrong, JudgeError) as error:
        return JSONResponse({"message": str(error)}, 400)
    if execution.verdict is Verdict.IE:
        return Response(status_code=500)
    language = languages.get(execution.language)
    answer: dict[str, Any] = {"language": language.name, "version": _version(language.name)}
    compiled = execution.compile
    if compiled is not None and (language.compile.output or compiled.verdict != "ok"):
        answer["compile"] = _compiled(compiled)
    answer["run"] = answer["compile"] if execution.verdict is Verdict.CE else _ran(execution)
    return JSONResponse(answer)


@router.get("/runtimes")
async def runtimes() -> list[dict[str, Any]]:
    return await asyncio.to_thread(_runtimes)


@router.get("/packages")
async def packages() -> list[dict[str, Any]]:
    found = await asyncio.to_thread(_runtimes)
    return [{"language": one["language"], "language_version": one["version"], "installed": True} for one in found]


def _runtimes() -> list[dict[str, Any]]:
    found = []
    for name in languages.names():
        if version := _version(name):
            found.append({"language": name, "version": version, "aliases": list(languages.get(name).aliases)})
    return found


@cache
def _version(name: str) -> str | None:
    return languages.get(name).status().version


def _body(text: bytes) -> dict[str, Any]:
    try:
        return json_object(text)
    except ValueError as error:
        raise _Wrong(str(error)) from error


def _program(body: dict[str, Any]) -> Program:
    for name in ("language", "version"):
        if not isinstance(body.get(name), str) or not body[name]:
            raise _Wrong(f"{name} is required as a string")
    language = _runtime(body["language"], body["version"])
    files = body.get("files")
    if not isinstance(files, list) or not files:
        raise _Wrong("files is required as an array")
    contents = [_content(number, file) for number, file in enumerate(files)]
    stdin = _typed(body, "stdin", str, "")
    wall_ms = _number(body, "run_timeout", _RUN_MS)
    return Program(
        source=contents[0][1],
        language=language.name,
        stdin=encoded(stdin if stdin.endswith("\n") or not stdin else stdin + "\n"),
        arguments=tuple(str(one) for one in _typed(body, "args", list, [])),
        files=dict(contents[1:]),
        cpu_ns=min(_number(body, "run_cpu_time", _RUN_MS), wall_ms) * _MS,
        wall_ns=None if wall_ms == _RUN_MS else wall_ms * _MS,
        memory_bytes=_memory(body, "run_memory_limit") or _MEMORY_BYTES,
        compile_cpu_ns=min(_number(body, name, _COMPILE_MS) for name in ("compile_cpu_time", "compile_timeout")) * _MS,
        compile_memory_bytes=_memory(body, "compile_memory_limit"),
    )


def _runtime(name: str, version: str) -> Language:
    language = languages.known(name)
    there = None if language is None else _version(language.name)
    if language is None or there is None or not _selects(version, there):
        raise _Wrong(f"{name}-{version} runtime is unknown")
    return language


def _selects(wanted: str, there: str) -> bool:
    """Whether a selector (`*`, `3`, `3.x`, `^3.10`, `>=3`) takes a version: its leading numbers are ours, or older."""
    wanted = wanted.strip()
    kind = wanted[: len(wanted) - len(wanted.lstrip("^~>=v "))].replace("v", "").strip()
    parts = [part for part in wanted.lstrip("^~>=v ").split(".") if part not in ("x", "X", "*", "")]
    try:
        asked = [int(part) for part in parts]
        ours = [int("".join(c for c in part if c.isdigit()) or 0) for part in there.split(".")[: max(3, len(asked))]]
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
        raise _Wrong(f"files[{number}].content is required as a string")
    name, text, encoding = file.get("name", f"file{number}.code"), file["content"], file.get("encoding", "utf8")
    if not isinstance(name, str):
        raise _Wrong(f"files[{number}].name must be a string")
    try:
        if encoding == "base64":
            return name, base64.b64decode(text)
        return name, bytes.fromhex(text) if encoding == "hex" else encoded(text)
    except (binascii.Error, ValueError) as error:
        raise _Wrong(f"files[{number}].content is not {encoding}") from error


def _typed(body: dict[str, Any], name: str, kind: type, default: Any) -> Any:
    value = body.get(name, default)
    if not isinstance(value, kind):
        raise _Wrong(f"if specified, {name} must be of type {'string' if kind is str else 'array'}")
    return value


def _number(body: dict[str, Any], name: str, default: int) -> int:
    value = body.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Wrong(f"if specified, {name} must be of type number")
    if not 0 < value * _MS <= MOST_CPU_NS:
        raise _Wrong(f"{name} cannot exceed the configured limit of {MOST_CPU_NS // _MS}")
    return max(1, int(value))


def _memory(body: dict[str, Any], name: str) -> int | None:
    value = body.get(name, -1)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Wrong(f"if specified, {name} must be of type number")
    return min(int(value), MOST_MEMORY_BYTES) if 0 < value < float("inf") else None


def _compiled(result: CompileResult) -> dict[str, Any]:
    status = {"ok": None, "time": "TO", "output": "OL"}.get(result.verdict, "RE")
    killed = status in ("TO", "OL")
    code = None if killed else int(result.verdict != "ok")
    return _stage(
        "SIGKILL" if killed else None, "", result.output, code, status, result.cpu_ns, result.wall_ns, None, None
    )


def _ran(execution: Execution) -> dict[str, Any]:
    verdict = execution.verdict
    status = None if verdict is None else _STATUS.get(verdict, "SG" if execution.signal else "RE")
    name = signal.SIGKILL.name if verdict in (Verdict.TLE, Verdict.OLE, Verdict.MLE) else execution.signal
    if name is not None and status == "RE":
        status = "SG"
    code = None if name else execution.exit_code
    out, err = (text.decode("utf-8", "replace") for text in (execution.stdout, execution.stderr))
    usage = execution.cpu_ns, execution.wall_ns, execution.memory_bytes
    return _stage(name, out, err, code, status, *usage, execution.detail or None)


def _stage(
    name: str | None,
    out: str,
    err: str,
    code: int | None,
    status: str | None,
    cpu_ns: int | None,
    wall_ns: int | None,
    memory: int | None,
    message: str | None,
) -> dict[str, Any]:
    return {
        "signal": name,
        "stdout": out,
        "stderr": err,
        "code": code,
        "output": out + err,
        "memory": memory,
        "message": message,
        "status": status,
        "cpu_time": None if cpu_ns is None else cpu_ns / _MS,
        "wall_time": None if wall_ns is None else wall_ns / _MS,
    }
