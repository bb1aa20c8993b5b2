"""SandboxFusion's `/run_code`. (Shapes: its server/sandbox_api.py.)"""

from __future__ import annotations

import base64
import binascii
import signal
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel

from judge import languages
from judge.common.errors import JudgeError
from judge.common.execution import Execution, Program
from judge.common.models import Verdict
from judge.server.access import TheService
from judge.server.requests import MOST_CPU_NS, MOST_MEMORY_BYTES, encoded
from problems.model import MIB, SECOND_NS

router = APIRouter(tags=["SandboxFusion"])

#: Its names of languages that are not ours.
_NAMES = {"cpp": "cpp17", "python": "python3", "nodejs": "javascript", "R": "r", "D_ut": "d"}
_MEMORY_BYTES = 1024 * MIB
#: What its processes return when a signal ended them: minus its number.
_KILLED = -9


class RunCodeRequest(BaseModel):
    compile_timeout: float = 10
    run_timeout: float = 10
    memory_limit_MB: int = -1
    code: str
    stdin: str | None = ""
    language: str
    files: dict[str, str | None] = {}
    fetch_files: list[str] = []


@router.post("/run_code")
async def run_code(body: RunCodeRequest, there: TheService) -> dict[str, Any]:
    try:
        program = _program(body)
        execution = await there.execute(program)
    except (JudgeError, ValueError) as error:
        return _response("SandboxError", str(error))
    compiles = bool(languages.get(execution.language).compile.output)
    compiled, ran = _compiled(execution, shown=compiles), _ran(execution, compiles=compiles)
    if execution.verdict is Verdict.IE:
        return _response("SandboxError", execution.detail)
    good = all(one is None or (one["status"] == "Finished" and one["return_code"] == 0) for one in (compiled, ran))
    files = {name: base64.b64encode(content).decode() for name, content in execution.files.items()}
    return _response("Success" if good else "Failed", "", compiled, ran, files)


@router.get("/v1/ping")
async def ping() -> str:
    return "pong"


def _program(body: RunCodeRequest) -> Program:
    if not (0 < body.run_timeout * SECOND_NS <= MOST_CPU_NS and 0 < body.compile_timeout * SECOND_NS <= MOST_CPU_NS):
        raise ValueError(f"time-outs are between 0 and {MOST_CPU_NS // SECOND_NS} s")
    memory = body.memory_limit_MB * MIB if body.memory_limit_MB > 0 else _MEMORY_BYTES
    return Program(
        source=encoded(body.code),
        language=_NAMES.get(body.language, body.language),
        stdin=encoded(body.stdin or ""),
        files={name: _decoded(name, content) for name, content in body.files.items() if content is not None},
        collect=tuple(body.fetch_files),
        cpu_ns=int(body.run_timeout * SECOND_NS),
        memory_bytes=min(memory, MOST_MEMORY_BYTES),
        compile_cpu_ns=int(body.compile_timeout * SECOND_NS),
    )


def _decoded(name: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"file {name[:100]}: not base64") from error


def _compiled(execution: Execution, *, shown: bool) -> dict[str, Any] | None:
    if execution.compile is None or not shown:
        return None
    late = execution.compile.verdict == "time"
    return _command(
        "TimeLimitExceeded" if late else "Finished",
        execution.compile.wall_ns,
        None if late else int(execution.compile.verdict != "ok"),
        "",
        execution.compile.output,
    )


def _ran(execution: Execution, *, compiles: bool) -> dict[str, Any] | None:
    if execution.verdict is Verdict.CE:
        if compiles or execution.compile is None:
            return None
        return _command("Finished", execution.compile.wall_ns, 1, "", execution.compile.output)  # a syntax error
    stdout = execution.stdout.decode("utf-8", "replace")
    stderr = execution.stderr.decode("utf-8", "replace")
    if execution.verdict is Verdict.TLE:
        return _command("TimeLimitExceeded", execution.wall_ns, None, stdout, stderr)
    code = execution.exit_code if execution.exit_code is not None else _signalled(execution.signal)
    if execution.verdict in (Verdict.MLE, Verdict.OLE):
        code, stderr = code or _KILLED, f"{stderr}\n{execution.detail}".lstrip()
    return _command("Finished", execution.wall_ns, code, stdout, stderr)


def _signalled(name: str | None) -> int:
    number = None if name is None else signal.Signals.__members__.get(name)
    return _KILLED if number is None else -number


def _command(
    status: Literal["Finished", "Error", "TimeLimitExceeded"], ns: int | None, code: int | None, out: str, err: str
) -> dict[str, Any]:
    return {
        "status": status,
        "execution_time": None if ns is None else ns / SECOND_NS,
        "return_code": code,
        "stdout": out,
        "stderr": err,
    }


def _response(
    status: Literal["Success", "Failed", "SandboxError"],
    message: str,
    compiled: dict[str, Any] | None = None,
    ran: dict[str, Any] | None = None,
    files: dict[str, str] | None = None,
) -> dict[str, Any]:
    return {
        "status": status,
        "message": message,
        "compile_result": compiled,
        "run_result": ran,
        "executor_pod_name": None,
        "files": files or {},
    }
