"""What a program did, as Piston words it."""

from __future__ import annotations

import signal
from typing import Any

from judge.common.execution import Execution
from judge.common.models import CompileResult, Verdict

_MS = 1_000_000
_STATUS = {Verdict.TLE: "TO", Verdict.OLE: "OL", Verdict.IE: "XX"}


def show_compile(result: CompileResult) -> dict[str, Any]:
    status = {"ok": None, "time": "TO", "output": "OL"}.get(result.verdict, "RE")
    killed = status in ("TO", "OL")
    code = None if killed else int(result.verdict != "ok")
    return stage(
        "SIGKILL" if killed else None, "", result.output, code, status, result.cpu_ns, result.wall_ns, None, None
    )


def ran(execution: Execution) -> dict[str, Any]:
    verdict = execution.verdict
    status = None if verdict is None else _STATUS.get(verdict, "SG" if execution.signal else "RE")
    name = signal.SIGKILL.name if verdict in (Verdict.TLE, Verdict.OLE, Verdict.MLE) else execution.signal
    if name is not None and status == "RE":
        status = "SG"
    code = None if name else execution.exit_code
    out, err = (text.decode("utf-8", "replace") for text in (execution.stdout, execution.stderr))
    usage = execution.cpu_ns, execution.wall_ns, execution.memory_bytes
    return stage(name, out, err, code, status, *usage, execution.detail or None)


def stage(
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
