"""The server's log on stderr: lines for people, or JSON. It names rows by their ids, and never holds a source."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Literal

import click

from judge.common.execution import Execution
from judge.common.models import Judgement
from judge.server.storing.store import Row
from problems.model import SECOND_NS

Format = Literal["text", "json"]
#: One line for each judgement or run.
_ENDED = logging.getLogger("judge.server.ended")
_MS = 1_000_000


def set_up(how: Format | None, *, chatty: bool = False) -> None:
    """`how`: None: warnings and errors only, for people; `chatty`: and each request."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json() if how == "json" else _Text())
    handler.addFilter(_without_query)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    logging.getLogger("judge").handlers.clear()  # the command line's own would tell everything a second time
    root.setLevel(logging.WARNING)
    logging.getLogger("uvicorn").setLevel(logging.INFO if chatty else logging.WARNING)
    _ENDED.setLevel(logging.WARNING if how is None else logging.INFO)


def _without_query(record: logging.LogRecord) -> bool:
    """Leaves the query out of the addresses that uvicorn tells: clients of Judge0 send their key there."""
    if record.name.startswith("uvicorn.") and isinstance(record.args, tuple):
        record.args = tuple(each.partition("?")[0] if isinstance(each, str) else each for each in record.args)
    return True


def listening(address: str, how: Format | None) -> None:
    """Tell where the server is. Where the log is JSON, each of its lines is."""
    if how == "json":
        _ENDED.info("listening", extra={"judged": {"address": address}})
    else:
        click.echo(f"judge: {address}", err=True)


def log_end(row: Row, result: Judgement | Execution, begun_s: float, ended_s: float) -> None:
    if not _ENDED.isEnabledFor(logging.INFO):
        return
    values = {
        "id": row.id,
        "kind": row.kind,
        "key": row.owner,
        "batch": row.batch,
        "problem": result.problem if isinstance(result, Judgement) else None,
        "language": result.language,
        "verdict": None if result.verdict is None else result.verdict.value,
        "score": result.score if isinstance(result, Judgement) else None,
        "queued_ms": _ms((begun_s - row.accepted_s) * SECOND_NS),
        "judged_ms": _ms((ended_s - begun_s) * SECOND_NS),
        "compile_ms": None if result.compile is None else _ms(result.compile.wall_ns),
        "compile_cached": None if result.compile is None else result.compile.cached,
        "tests": len(result.tests) if isinstance(result, Judgement) else None,
        "cpu_ms": None if result.cpu_ns is None else _ms(result.cpu_ns),
        "memory_bytes": result.memory_bytes,
        "cached": isinstance(result, Judgement) and result.cached,
    }
    _ENDED.info("ended", extra={"judged": {name: value for name, value in values.items() if value is not None}})


def _ms(nanoseconds: float) -> float:
    return round(nanoseconds / _MS, 1)


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        values = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "judged", {}),
        }
        if record.exc_info:
            values["error"] = self.formatException(record.exc_info)
        return json.dumps(values)


class _Text(logging.Formatter):
    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        said = " ".join(f"{name}={_word(value)}" for name, value in getattr(record, "judged", {}).items())
        return f"{super().format(record)} {said}" if said else super().format(record)


def _word(value: object) -> str:
    """What a client chose is quoted unless it is one plain word: it begins no line and no other name."""
    text = str(value)
    return text if text.isascii() and text.isprintable() and text and not set(text) & set(' ="') else json.dumps(text)
