"""Runs one program, and words what it did as SandboxFusion does."""

from __future__ import annotations

import base64
import binascii
import signal
from typing import Any, Literal

from judge import languages
from judge.common.errors import JudgeError
from judge.common.execution import Execution, Program
from judge.common.models import Verdict
from judge.common.whole import encode_text
from judge.server.compat.sandbox_fusion import tested
from judge.server.compat.sandbox_fusion.requests import RunCodeRequest
from judge.server.requests import MOST_CPU_NS, MOST_MEMORY_BYTES
from judge.server.service import Service
from problems.model import MIB, SECOND_NS

_MEMORY_BYTES = 1024 * MIB
#: What its processes return when a signal ended them: minus its number.
_KILLED = -9


async def run(body: RunCodeRequest, service: Service) -> dict[str, Any]:
    try:
        program = _program(body)
        execution = await service.execute(program)
        if body.language == tested.PYTEST:
            await tested.check(execution, service)
    except (JudgeError, ValueError) as error:
        return response("SandboxError", str(error))
    compiles = bool(languages.get(execution.language).compile.output)
    made, told = _show_compile(execution, shown=compiles), ran(execution, compiles=compiles)
    if execution.verdict is Verdict.IE:
        return response("SandboxError", execution.detail)
    good = all(one is None or (one["status"] == "Finished" and one["return_code"] == 0) for one in (made, told))
    files = {name: base64.b64encode(content).decode() for name, content in execution.files.items()}
    message = tested.WARNING if body.language in tested.SELF_REPORTED else ""
    return response("Success" if good else "Failed", message, made, told, files)


def _program(body: RunCodeRequest) -> Program:
    files = {name: decode_file(name, content) for name, content in body.files.items() if content is not None}
    source, language = encode_text(body.code), body.language
    if language == tested.PYTEST:
        name = tested.file_name(files)
        source, language, files = tested.driver(name), tested.LANGUAGE, {**files, name: source}
    return Program(
        source=source,
        language=language,
        stdin=encode_text(body.stdin or ""),
        files=files,
        collect=tuple(body.fetch_files),
        cpu_ns=seconds(body.run_timeout),
        wall_ns=seconds(body.run_timeout),  # a program that waits for a core is not stopped for that
        memory_bytes=memory_bytes(body.memory_limit_MB),
        compile_cpu_ns=seconds(body.compile_timeout),
    )


def seconds(value: float) -> int:
    """A time-out in ns. Raises ValueError: nobody may ask for so much, or so little."""
    if not 0 < value * SECOND_NS <= MOST_CPU_NS:
        raise ValueError(f"time-outs are between 0 and {MOST_CPU_NS // SECOND_NS} s")
    return max(1, int(value * SECOND_NS))


def memory_bytes(mib: int) -> int:
    return min(mib * MIB if mib > 0 else _MEMORY_BYTES, MOST_MEMORY_BYTES)


def decode_file(name: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"file {name[:100]}: not base64") from error


def _show_compile(execution: Execution, *, shown: bool) -> dict[str, Any] | None:
    if execution.compile is None or not shown:
        return None
    late = execution.compile.verdict == "time"
    return command(
        "TimeLimitExceeded" if late else "Finished",
        execution.compile.wall_ns,
        None if late else int(execution.compile.verdict != "ok"),
        "",
        execution.compile.output,
    )


def ran(execution: Execution, *, compiles: bool) -> dict[str, Any] | None:
    if execution.verdict is Verdict.CE:
        if compiles or execution.compile is None:
            return None
        return command("Finished", execution.compile.wall_ns, 1, "", execution.compile.output)  # a syntax error
    stdout = execution.stdout.decode("utf-8", "replace")
    stderr = execution.stderr.decode("utf-8", "replace")
    if execution.verdict is Verdict.TLE:
        return command("TimeLimitExceeded", execution.wall_ns, None, stdout, stderr)
    code = execution.exit_code if execution.exit_code is not None else find_signal(execution.signal)
    if execution.verdict in (Verdict.MLE, Verdict.OLE):
        code, stderr = code or _KILLED, f"{stderr}\n{execution.detail}".lstrip()
    return command("Finished", execution.wall_ns, code, stdout, stderr)


def find_signal(name: str | None) -> int:
    number = None if name is None else signal.Signals.__members__.get(name)
    return _KILLED if number is None else -number


def command(
    status: Literal["Finished", "Error", "TimeLimitExceeded"], ns: int | None, code: int | None, out: str, err: str
) -> dict[str, Any]:
    return {
        "status": status,
        "execution_time": None if ns is None else ns / SECOND_NS,
        "return_code": code,
        "stdout": out,
        "stderr": err,
    }


def response(
    status: Literal["Success", "Failed", "SandboxError"],
    message: str,
    compiled: dict[str, Any] | None = None,
    told: dict[str, Any] | None = None,
    files: dict[str, str] | None = None,
) -> dict[str, Any]:
    return {
        "status": status,
        "message": message,
        "compile_result": compiled,
        "run_result": told,
        "executor_pod_name": None,
        "files": files or {},
    }
