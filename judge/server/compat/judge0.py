"""Judge0's submissions. (Shapes: its documentation of version 1.13.1.)"""

from __future__ import annotations

import asyncio
import base64
import binascii
import io
import json
import shlex
import signal
import time
import zipfile
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field, ValidationError

from judge import languages
from judge.common.models import Verdict
from judge.server.access import TheCaller, TheService, requires
from judge.server.keys import Caller
from judge.server.requests import MOST_CPU_NS, MOST_MEMORY_BYTES, MOST_OUTPUT_BYTES, ExecutionRequest, encoded
from judge.server.service import Service
from judge.server.store import Row
from problems.model import SECOND_NS

router = APIRouter(tags=["Judge0"])

VERSION = "1.13.1"
#: Its numbers of languages, several of them for one of ours.
_LANGUAGES = {
    45: "nasm", 46: "bash", 48: "c17", 49: "c17", 50: "c17", 51: "csharp", 52: "cpp17", 53: "cpp17", 54: "cpp17",
    55: "lisp", 56: "d", 57: "elixir", 58: "erlang", 59: "fortran", 60: "go", 61: "haskell", 62: "java",
    63: "javascript", 64: "lua", 65: "ocaml", 66: "octave", 67: "pascal", 68: "php", 69: "prolog", 71: "python3",
    72: "ruby", 73: "rust", 74: "typescript", 76: "cpp17-clang", 78: "kotlin", 80: "r", 81: "scala", 82: "sql",
    85: "perl", 86: "clojure",
}  # fmt: skip
_STATUSES = {
    1: "In Queue", 2: "Processing", 3: "Accepted", 4: "Wrong Answer", 5: "Time Limit Exceeded",
    6: "Compilation Error", 7: "Runtime Error (SIGSEGV)", 8: "Runtime Error (SIGXFSZ)", 9: "Runtime Error (SIGFPE)",
    10: "Runtime Error (SIGABRT)", 11: "Runtime Error (NZEC)", 12: "Runtime Error (Other)", 13: "Internal Error",
    14: "Exec Format Error",
}  # fmt: skip
_SIGNALS = {"SIGSEGV": 7, "SIGXFSZ": 8, "SIGFPE": 9, "SIGABRT": 10}
_MOST_ROWS = 20
_MOST_FILES_BYTES = 64 << 20
_KIB = 1024
#: In base64, if asked for.
_ENCODED = ("source_code", "stdin", "expected_output", "stdout", "stderr", "compile_output", "message")
_DEFAULT = ("token", "time", "memory", "stdout", "stderr", "compile_output", "message", "status")

_Submitter = Annotated[Caller, Depends(requires("submit"))]
_Base64 = Annotated[bool, Query(alias="base64_encoded")]


class Judge0Submission(BaseModel):
    """Times in seconds, sizes in KiB. What is not listed is not looked at."""

    source_code: str
    language_id: int
    stdin: str | None = None
    expected_output: str | None = None
    command_line_arguments: str | None = Field(None, max_length=512)
    cpu_time_limit: float = Field(5, gt=0, le=MOST_CPU_NS / SECOND_NS)
    wall_time_limit: float = Field(10, ge=1, le=MOST_CPU_NS / SECOND_NS)
    memory_limit: float = Field(128_000, ge=2048, le=MOST_MEMORY_BYTES / _KIB)
    max_file_size: int = Field(1024, gt=0, le=MOST_OUTPUT_BYTES // _KIB)
    redirect_stderr_to_stdout: bool = False
    additional_files: str | None = None
    compiler_options: str | None = None
    enable_network: bool = False
    callback_url: str | None = None


class _Wrong(Exception):
    """As Rails words it: what is wrong with each field."""

    def __init__(self, **fields: str) -> None:
        super().__init__()
        self.fields = {name: [why] for name, why in fields.items()}


@router.post("/submissions")
async def create(
    body: dict[str, Any],
    who: _Submitter,
    there: TheService,
    wait: bool = False,
    base64_encoded: _Base64 = False,
    fields: str | None = None,
) -> Response:
    """201 with a token; with `wait`, the submission when it has been judged."""
    try:
        names = _fields(fields)
        request, note = _read(body, base64_encoded)
    except _Wrong as error:
        return JSONResponse(error.fields, 422)
    except ValueError as error:
        return JSONResponse({"error": str(error)}, 400)
    (token,) = await asyncio.to_thread(there.accept_all, [request], who, [note])
    if not wait:
        return JSONResponse({"token": token}, 201)
    while (row := await there.wait(token, 60)).result is None:
        pass
    return JSONResponse(_shown(row, names, base64_encoded), 201)


@router.post("/submissions/batch")
async def create_all(
    body: dict[str, Any], who: _Submitter, there: TheService, base64_encoded: _Base64 = False
) -> Response:
    """201 with a token, or what is wrong, for each."""
    asked = body.get("submissions")
    if not isinstance(asked, list) or not asked:
        return JSONResponse({"error": "there should be at least one submission in a batch"}, 400)
    if len(asked) > _MOST_ROWS:
        why = f"number of submissions in a batch should be less than or equal to {_MOST_ROWS}"
        return JSONResponse({"error": why}, 400)
    read: list[tuple[ExecutionRequest, str] | dict[str, Any]] = []
    for each in asked:
        try:
            read.append(_read(each if isinstance(each, dict) else {}, base64_encoded))
        except _Wrong as error:
            read.append(error.fields)
    good = [each for each in read if isinstance(each, tuple)]
    tokens = iter(
        await asyncio.to_thread(there.accept_all, [each[0] for each in good], who, [each[1] for each in good])
    )
    return JSONResponse([{"token": next(tokens)} if isinstance(each, tuple) else each for each in read], 201)


@router.get("/submissions/batch")
async def show_all(
    who: TheCaller,
    there: TheService,
    tokens: str,
    base64_encoded: _Base64 = False,
    fields: str | None = None,
) -> Response:
    asked = [token for token in tokens.split(",") if token]
    if len(asked) > _MOST_ROWS:
        return JSONResponse({"error": f"at most {_MOST_ROWS} tokens"}, 400)
    try:
        names = _fields(fields)
    except ValueError as error:
        return JSONResponse({"error": str(error)}, 400)
    rows = [await _own(token, who, there) for token in asked]
    shown = [None if row is None else _shown(row, names, base64_encoded) for row in rows]
    return JSONResponse({"submissions": shown})


@router.get("/submissions/{token}")
async def show(
    token: str, who: TheCaller, there: TheService, base64_encoded: _Base64 = False, fields: str | None = None
) -> Response:
    try:
        names = _fields(fields)
    except ValueError as error:
        return JSONResponse({"error": str(error)}, 400)
    row = await _own(token, who, there)
    if row is None:
        return Response(status_code=404)
    return JSONResponse(_shown(row, names, base64_encoded))


@router.get("/languages")
async def list_languages() -> list[dict[str, Any]]:
    return [each for each in await asyncio.to_thread(_listed) if not each.pop("is_archived")]


@router.get("/languages/all")
async def list_all_languages() -> list[dict[str, Any]]:
    return await asyncio.to_thread(_listed)


@router.get("/languages/{number}")
async def show_language(number: int) -> Response:
    found = [each for each in await asyncio.to_thread(_listed) if each["id"] == number]
    return JSONResponse(found[0]) if found else Response(status_code=404)


@router.get("/statuses")
async def statuses() -> list[dict[str, Any]]:
    return [{"id": number, "description": text} for number, text in _STATUSES.items()]


@router.get("/about")
async def about() -> dict[str, str]:
    """The version whose protocol this is."""
    return {"version": VERSION, "homepage": "https://judge0.com", "source_code": "", "maintainer": ""}


@router.get("/workers")
async def workers(there: TheService) -> list[dict[str, Any]]:
    waiting, slots = await asyncio.to_thread(there.store.waiting), there.judge.slots
    working = min(waiting, slots)
    state = {"available": slots, "idle": slots - working, "working": working, "paused": 0, "failed": 0}
    return [{"queue": "default", "size": waiting, **state}]


@router.get("/config_info")
async def config(there: TheService) -> dict[str, Any]:
    limits = {name: field.default for name, field in Judge0Submission.model_fields.items()}
    same = ("cpu_time_limit", "wall_time_limit", "memory_limit", "max_file_size", "redirect_stderr_to_stdout")
    return {
        **{name: limits[name] for name in same},
        "maintenance_mode": False,
        "enable_wait_result": True,
        "enable_compiler_options": False,
        "allowed_languages_for_compile_options": [],
        "enable_command_line_arguments": True,
        "enable_submission_delete": False,
        "enable_callbacks": False,
        "callbacks_max_tries": 0,
        "callbacks_timeout": 0,
        "enable_additional_files": True,
        "max_queue_size": there.settings.most_waiting,
        "max_cpu_time_limit": MOST_CPU_NS / SECOND_NS,
        "cpu_extra_time": 0,
        "max_cpu_extra_time": 0,
        "max_wall_time_limit": MOST_CPU_NS / SECOND_NS,
        "max_memory_limit": MOST_MEMORY_BYTES // _KIB,
        "stack_limit": limits["memory_limit"],
        "max_stack_limit": MOST_MEMORY_BYTES // _KIB,
        "max_processes_and_or_threads": 0,
        "max_max_processes_and_or_threads": 0,
        "enable_per_process_and_thread_time_limit": False,
        "allow_enable_per_process_and_thread_time_limit": False,
        "enable_per_process_and_thread_memory_limit": False,
        "allow_enable_per_process_and_thread_memory_limit": False,
        "max_max_file_size": MOST_OUTPUT_BYTES // _KIB,
        "enable_network": False,
        "allow_enable_network": False,
        "number_of_runs": 1,
        "max_number_of_runs": 1,
        "enable_batched_submissions": True,
        "max_submission_batch_size": _MOST_ROWS,
        "submission_cache_duration": 0,
        "use_docs_as_homepage": False,
        "max_extract_size": _MOST_FILES_BYTES // _KIB,
    }


async def _own(token: str, who: Caller, there: Service) -> Row | None:
    row = await asyncio.to_thread(there.store.get, token)
    if row is None or row.note is None or (row.owner != who.name and not who.may("admin")):
        return None
    return row


def _listed() -> list[dict[str, Any]]:
    found = []
    for number, name in _LANGUAGES.items():
        status = languages.get(name).status()
        title = f"{languages.get(name).title} ({status.version or status.problem})"
        found.append({"id": number, "name": title, "is_archived": status.problem is not None})
    return found


def _read(body: dict[str, Any], in_base64: bool) -> tuple[ExecutionRequest, str]:
    """The request, and what is kept with it."""
    given = {name: value for name, value in body.items() if value is not None}
    if given.get("source_code") is None:
        raise _Wrong(source_code="can't be blank")
    try:
        asked = Judge0Submission.model_validate(given)
    except ValidationError as error:
        raise _Wrong(**{str(each["loc"][0]): each["msg"] for each in error.errors()}) from error
    if asked.language_id not in _LANGUAGES:
        raise _Wrong(language_id=f"language with id {asked.language_id} doesn't exist")
    for name in ("compiler_options", "enable_network", "callback_url"):
        if getattr(asked, name):
            raise _Wrong(**{name: "is not allowed"})
    source = _bytes("source_code", asked.source_code, in_base64)
    expected = asked.expected_output and _bytes("expected_output", asked.expected_output, in_base64).decode(
        "utf-8", "replace"
    )
    try:
        request = ExecutionRequest(
            source="",
            source_base64=base64.b64encode(source).decode(),
            language=_LANGUAGES[asked.language_id],
            stdin_base64=base64.b64encode(_bytes("stdin", asked.stdin or "", in_base64)).decode(),
            arguments=tuple(shlex.split(asked.command_line_arguments or "")),
            files=_files(asked.additional_files),
            cpu_ns=max(1, round(asked.cpu_time_limit * SECOND_NS)),
            wall_ns=round(asked.wall_time_limit * SECOND_NS),
            memory_bytes=round(asked.memory_limit * _KIB),
            output_bytes=asked.max_file_size * _KIB,
        )
    except ValidationError as error:
        raise _Wrong(**{str(each["loc"][0]): each["msg"] for each in error.errors()}) from error
    except ValueError as error:  # quotes that are not closed
        raise _Wrong(command_line_arguments=str(error)) from error
    kept = {
        "language_id": asked.language_id,
        "expected_output": expected,
        "redirect": asked.redirect_stderr_to_stdout,
        "created_at": _now(),
    }
    return request, json.dumps(kept)


def _bytes(name: str, text: str, in_base64: bool) -> bytes:
    if not in_base64:
        return encoded(text)
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise _Wrong(**{name: "is not base64"}) from error


def _files(packed: str | None) -> dict[str, str]:
    """The files of a zip archive in base64, each in base64."""
    if packed is None:
        return {}
    found: dict[str, str] = {}
    left = _MOST_FILES_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(_bytes("additional_files", packed, True))) as archive:
            for entry in archive.infolist():
                if entry.is_dir():
                    continue
                with archive.open(entry) as file:
                    content = file.read(left + 1)
                left -= len(content)
                if left < 0 or len(found) >= 1000:
                    raise _Wrong(additional_files="is too large")
                found[entry.filename] = base64.b64encode(content).decode()
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise _Wrong(additional_files=f"is no zip archive: {error}") from error
    return found


def _fields(asked: str | None) -> tuple[str, ...] | None:
    """The names that are wanted; None: all. ValueError: one is unknown."""
    if asked is None:
        return _DEFAULT
    names = tuple(name.strip() for name in asked.split(",") if name.strip())
    if "*" in names:
        return None
    if wrong := [name for name in names if name not in _ALL]:
        raise ValueError(f"invalid fields: [{', '.join(wrong)}]")
    return names


def _shown(row: Row, names: tuple[str, ...] | None, in_base64: bool) -> dict[str, Any]:
    values = _values(row)
    shown = {name: values[name] for name in (names or _ALL)}
    if in_base64:
        for name in set(_ENCODED) & shown.keys():
            if shown[name] is not None:
                shown[name] = base64.b64encode(encoded(shown[name])).decode()
    return shown


def _values(row: Row) -> dict[str, Any]:
    kept, asked = json.loads(row.note or "{}"), ExecutionRequest.model_validate_json(row.request)
    done = json.loads(row.result) if row.result is not None else {}
    number = _status(done, kept["expected_output"])
    stdout, stderr = done.get("stdout") or None, done.get("stderr") or None
    if kept["redirect"]:
        stdout, stderr = ((stdout or "") + (stderr or "")) or None, None
    program = asked.program()
    return {
        "token": row.id,
        "source_code": program.source.decode("utf-8", "replace"),
        "language_id": kept["language_id"],
        "language": {"id": kept["language_id"], "name": languages.get(asked.language).title},
        "stdin": program.stdin.decode("utf-8", "replace") or None,
        "expected_output": kept["expected_output"],
        "stdout": stdout,
        "stderr": stderr,
        "compile_output": ((done.get("compile") or {}).get("output") if number == 6 else None) or None,
        "message": _message(done),
        "exit_code": done.get("exit_code"),
        "exit_signal": _number(done.get("signal")),
        "status": {"id": number, "description": _STATUSES[number]},
        "status_id": number,
        "created_at": kept["created_at"],
        "finished_at": kept["created_at"] if done else None,
        "time": _seconds(done.get("cpu_ns")),
        "wall_time": _seconds(done.get("wall_ns")),
        "memory": None if done.get("memory_bytes") is None else done["memory_bytes"] // _KIB,
        "cpu_time_limit": asked.cpu_ns / SECOND_NS,
        "wall_time_limit": (asked.wall_ns or 0) / SECOND_NS,
        "memory_limit": asked.memory_bytes // _KIB,
        "max_file_size": asked.output_bytes // _KIB,
        "command_line_arguments": shlex.join(asked.arguments) or None,
        "redirect_stderr_to_stdout": kept["redirect"],
        "number_of_runs": 1,
    }


#: The names of `_values`.
_ALL = (
    "token", "source_code", "language_id", "language", "stdin", "expected_output", "stdout", "stderr",
    "compile_output", "message", "exit_code", "exit_signal", "status", "status_id", "created_at", "finished_at", "time",
    "wall_time", "memory", "cpu_time_limit", "wall_time_limit", "memory_limit", "max_file_size",
    "command_line_arguments", "redirect_stderr_to_stdout", "number_of_runs",
)  # fmt: skip


def _status(done: dict[str, Any], expected: str | None) -> int:
    if not done:
        return 1
    match done["verdict"]:
        case None:
            return 3 if expected is None or _lines(done["stdout"]) == _lines(expected) else 4
        case Verdict.TLE:
            return 5
        case Verdict.CE:
            return 6
        case Verdict.OLE:
            return 8
        case Verdict.MLE:
            return 12
        case Verdict.IE:
            return 13
    if done["signal"] is not None:
        return _SIGNALS.get(done["signal"], 12)
    return 11


def _lines(text: str) -> str:
    """What is compared: without spaces at the ends of lines and of the whole."""
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip()


def _message(done: dict[str, Any]) -> str | None:
    if done.get("detail"):
        return str(done["detail"])
    return f"Exited with error status {done['exit_code']}" if done.get("exit_code") else None


def _number(name: str | None) -> int | None:

    return None if name is None else int(signal.Signals[name]) if name in signal.Signals.__members__ else None


def _seconds(ns: int | None) -> str | None:
    return None if ns is None else f"{ns / SECOND_NS:.3f}"


def _now() -> str:
    return datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
