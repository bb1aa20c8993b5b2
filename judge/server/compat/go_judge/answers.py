"""What became of a command, as go-judge words it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from judge.common.models import Verdict
from judge.judging.commands import Ran
from judge.server.compat.go_judge.prepare import Prepared, Wanted
from judge.server.storing.cached import NoRoom

_STATUSES = {
    Verdict.TLE: "Time Limit Exceeded",
    Verdict.MLE: "Memory Limit Exceeded",
    Verdict.OLE: "Output Limit Exceeded",
    Verdict.IE: "Internal Error",
}
_KILLED = 9
#: Keeps a file under its name: its id. Raises NoRoom.
Keep = Callable[[str, bytes], str]


def result(prepared: Prepared, ran: Ran, keep: Keep, pipe: tuple[str, int] | None = None) -> dict[str, Any]:
    """`pipe`: the name under which what it wrote to a pipe is told, and how much of it at most."""
    files, errors = _collect_files(prepared, ran)
    if pipe is not None and ran.piped is not None:
        files[pipe[0]] = ran.piped[: pipe[1]]
    status, code, why = _status(ran)
    over = next((error for error in errors if error["type"] == "CollectSizeExceeded"), None)
    if status == "Accepted" and over is not None:
        status, why = "Output Limit Exceeded", over["message"]
    cached = {one.name for one in prepared.wanted if one.cached}
    ids: dict[str, str] = {}
    for name in cached & files.keys():
        try:
            ids[name] = keep(name, files.pop(name))
        except NoRoom as error:
            errors.append(_error(name, "CopyOutCreateFile", str(error)))
    if status == "Accepted" and errors:
        status, why = "File Error", errors[0]["message"]
    return _result(ran, status, code, why) | {
        "files": {name: content.decode("utf-8", "replace") for name, content in files.items()},
        "fileIds": ids,
        **({"fileError": errors} if errors else {}),
    }


def missing(prepared: Prepared) -> dict[str, Any]:
    """Of a command that was not run."""
    name, why = prepared.missing or ("", "")
    error = _error(name, "CopyInOpenFile", why)
    return {"status": "File Error", "exitStatus": 0, "error": why, "time": 0, "memory": 0, "runTime": 0} | {
        "files": {},
        "fileIds": {},
        "fileError": [error],
    }


def describe_failure(why: str) -> dict[str, Any]:
    """Of a command that we failed to run."""
    figures = {"time": 0, "memory": 0, "runTime": 0}
    return {"status": "Internal Error", "exitStatus": 0, "error": why, **figures, "files": {}, "fileIds": {}}


def _result(ran: Ran, status: str, code: int, why: str) -> dict[str, Any]:
    usage = ran.outcome.usage
    return {
        "status": status,
        "exitStatus": code,
        **({"error": why} if why else {}),
        "time": usage.cpu_ns,
        "memory": usage.memory_bytes,
        "runTime": usage.wall_ns,
    }


def _status(ran: Ran) -> tuple[str, int, str]:
    """The status, the exit status (of a signal: its number), and why."""
    outcome = ran.outcome
    code = outcome.exit_code if outcome.signal is None else outcome.signal
    if ran.ruling is None:
        return "Accepted", 0, ""
    if (status := _STATUSES.get(ran.ruling.verdict)) is not None:
        return status, _KILLED if code is None else code, ran.ruling.detail
    return "Nonzero Exit Status" if outcome.signal is None else "Signalled", code or 0, ran.ruling.detail


def _collect_files(prepared: Prepared, ran: Ran) -> tuple[dict[str, bytes], list[dict[str, str]]]:
    """Files by the client's names, and what is wrong with some."""
    files: dict[str, bytes] = {}
    errors: list[dict[str, str]] = []
    outcome = ran.outcome
    written = (outcome.stdout, outcome.stdout_bytes), (outcome.stderr, outcome.stderr_bytes)
    linked = b"".join(outcome.files.get(name, b"") for name in prepared.outputs)
    written = (outcome.stdout + linked, outcome.stdout_bytes + len(linked)), written[1]
    for collector, (content, count) in zip(prepared.collectors, written, strict=True):
        if collector is not None:
            files[collector.name] = files.get(collector.name, b"") + content[: collector.most_bytes]
            if count > collector.most_bytes:
                why = f"wrote {count} bytes, more than {collector.most_bytes}"
                errors.append(_error(collector.name, "CollectSizeExceeded", why))
    for one in prepared.wanted:
        if one.name in files:
            continue
        copied, error = _copy_out(prepared, one, outcome.files.get(one.plain))
        if copied is not None:
            files[one.name] = copied
        if error is not None:
            errors.append(error)
    return files, errors


def _copy_out(prepared: Prepared, one: Wanted, content: bytes | None) -> tuple[bytes | None, dict[str, str] | None]:
    if content is None:
        why = f"open {one.name}: no such regular file, or too large"
        return None, None if one.optional else _error(one.name, "CopyOutOpen", why)
    if len(content) > prepared.most_bytes:
        why = f"{one.name} has {len(content)} bytes, more than {prepared.most_bytes}"
        part = content[: prepared.most_bytes] if prepared.truncate else None
        return part, _error(one.name, "CopyOutSizeExceeded", why)
    return content, None


def _error(name: str, kind: str, why: str) -> dict[str, str]:
    return {"name": name, "type": kind, "message": why}
