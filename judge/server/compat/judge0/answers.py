"""A stored execution -> a submission as Judge0 shows it."""

from __future__ import annotations

import base64
import json
import shlex
import signal
from typing import Any

from judge import languages
from judge.common.models import Verdict
from judge.common.whole import encode_text
from judge.server.compat.judge0.names import MULTI_FILE, MULTI_FILE_TITLE, STATUSES
from judge.server.compat.judge0.requests import COMPILE_OUTPUT, KIB, date
from judge.server.requests import ExecutionRequest
from judge.server.storing.store import Row
from problems.model import SECOND_NS

_SIGNALS = {"SIGSEGV": 7, "SIGXFSZ": 8, "SIGFPE": 9, "SIGABRT": 10}
#: In base64, if asked for.
_ENCODED = ("source_code", "stdin", "expected_output", "stdout", "stderr", "compile_output", "message")
_DEFAULT = ("token", "time", "memory", "stdout", "stderr", "compile_output", "message", "status")


def fields(asked: str | None) -> tuple[str, ...] | None:
    """The names that are wanted; None: all. ValueError: one is unknown."""
    if asked is None:
        return _DEFAULT
    names = tuple(name.strip() for name in asked.split(",") if name.strip())
    if "*" in names:
        return None
    if wrong := [name for name in names if name not in _ALL]:
        raise ValueError(f"invalid fields: [{', '.join(wrong)}]")
    return names


def show_row(row: Row, names: tuple[str, ...] | None, in_base64: bool, *, begun: bool = False) -> dict[str, Any]:
    """`begun`: it runs now, as far as that is known."""
    values = _values(row, begun)
    shown = {name: values[name] for name in (names or _ALL)}
    if in_base64:
        for name in set(_ENCODED) & shown.keys():
            if shown[name] is not None:
                shown[name] = base64.b64encode(encode_text(shown[name])).decode()
    return shown


def _values(row: Row, begun: bool) -> dict[str, Any]:
    kept, asked = json.loads(row.note or "{}"), ExecutionRequest.model_validate_json(row.request)
    done = json.loads(row.result) if row.result is not None else {}
    multi_file = kept["language_id"] == MULTI_FILE
    failed = (done.get("files") or {}).get(COMPILE_OUTPUT) if multi_file else None
    number = _status(done, kept["expected_output"], begun) if failed is None else 6
    stdout, stderr = done.get("stdout") or None, done.get("stderr") or None
    if kept["redirect"]:
        stdout, stderr = ((stdout or "") + (stderr or "")) or None, None
    program = asked.program()
    return {
        "token": row.id,
        "source_code": None if multi_file else program.source.decode("utf-8", "replace"),
        "language_id": kept["language_id"],
        "language": {
            "id": kept["language_id"],
            "name": MULTI_FILE_TITLE if multi_file else languages.get(asked.language).title,
        },
        "stdin": program.stdin.decode("utf-8", "replace") or None,
        "expected_output": kept["expected_output"],
        "stdout": stdout,
        "stderr": stderr,
        "compile_output": _compile_output(done, failed),
        "message": _message(done),
        "exit_code": done.get("exit_code"),
        "exit_signal": _number(done.get("signal")),
        "status": {"id": number, "description": STATUSES[number]},
        "status_id": number,
        "created_at": kept["created_at"],
        "finished_at": None if row.ended_s is None else date(row.ended_s),
        "time": _seconds(done.get("cpu_ns")),
        "wall_time": _seconds(done.get("wall_ns")),
        "memory": None if done.get("memory_bytes") is None else done["memory_bytes"] // KIB,
        "cpu_time_limit": asked.cpu_ns / SECOND_NS,
        "wall_time_limit": (asked.wall_ns or 0) / SECOND_NS,
        "memory_limit": asked.memory_bytes // KIB,
        "max_file_size": asked.output_bytes // KIB,
        "command_line_arguments": shlex.join(asked.arguments) or None,
        "redirect_stderr_to_stdout": kept["redirect"],
        "number_of_runs": asked.runs,
        "compiler_options": " ".join(asked.compiler_options) or None,
        "callback_url": kept.get("callback"),
    }


#: The names of `_values`.
_ALL = (
    "token", "source_code", "language_id", "language", "stdin", "expected_output", "stdout", "stderr",
    "compile_output", "message", "exit_code", "exit_signal", "status", "status_id", "created_at", "finished_at", "time",
    "wall_time", "memory", "cpu_time_limit", "wall_time_limit", "memory_limit", "max_file_size",
    "command_line_arguments", "redirect_stderr_to_stdout", "number_of_runs", "compiler_options",
    "callback_url",
)  # fmt: skip


def _status(done: dict[str, Any], expected: str | None, begun: bool) -> int:
    if not done:
        return 2 if begun else 1
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
        case Verdict.RE if done["signal"] is not None:
            return _SIGNALS.get(done["signal"], 12)
        case Verdict.RE:
            return 11
        case other:
            raise ValueError(f"a program without a problem has no verdict {other}")


def _compile_output(done: dict[str, Any], failed: str | None) -> str | None:
    if failed is not None:
        return base64.b64decode(failed).decode("utf-8", "replace")
    return (done.get("compile") or {}).get("output") or None


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


def status(row: Row, *, begun: bool) -> int:
    """The number of a submission's status."""
    return int(_values(row, begun)["status_id"])
