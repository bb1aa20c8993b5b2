"""Who called what: one line of JSON for each call, to stderr or to a file that is rotated.

A line never holds a source, an input, a result or a key. It has the key's name, the call and its status, sizes, and
of what was sent the problems, the languages, the number of rows and the first id.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from judge.common.errors import ConfigError
from judge.server.guarding.keys import Caller
from judge.server.settings import Settings

#: How much of what a client chooses stands in a line.
_MOST_NAMES, _MOST_CHARACTERS = 10, 200


@dataclass(slots=True, kw_only=True)
class Call:
    """Who calls, and what is told of it. The door makes it; whoever knows more adds it."""

    #: Whose key was sent; None: no key that we know.
    caller: Caller | None = None
    #: The name of the key, where a route asked for it.
    key: str | None = None
    #: With whom it takes turns: all calls with this key or, where none is asked for, from this address.
    party: str = ""
    rows: int = 0
    id: str | None = None
    problems: set[str] = field(default_factory=set)
    languages: set[str] = field(default_factory=set)

    def add(self, id_: str | None, problems: Iterable[str | None], languages: Iterable[str]) -> None:
        names = tuple(languages)
        self.rows += len(names)
        self.id = self.id or id_
        self.problems |= {problem for problem in problems if problem is not None}
        self.languages |= set(names)


#: Set for each call by `judge.server.guarding.door`.
CALL: ContextVar[Call | None] = ContextVar("judge_call", default=None)


def call() -> Call:
    """The call that is being answered. (A new one where there is none: at the start, in a test.)"""
    return CALL.get() or Call()


async def write_call(log: logging.Logger, app: ASGIApp, told: Call, scope: Scope, receive: Receive, send: Send) -> None:
    """Have `app` answer a call, and write its line. What is refused is a call, too."""
    began = time.monotonic()
    status, received, sent = 0, 0, 0

    async def counted_receive() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body") or message.get("bytes") or message.get("text") or b"")
        return message

    async def counted_send(message: Message) -> None:
        nonlocal status, sent
        status = message.get("status", status)
        sent += len(message.get("body") or message.get("bytes") or message.get("text") or b"")
        await send(message)

    try:
        await app(scope, counted_receive, counted_send)
    finally:
        ms = round((time.monotonic() - began) * 1000, 1)
        log.info(_line(scope, told, status, {"received": received, "sent": sent, "ms": ms}))


def _line(scope: Scope, made: Call, status: int, numbers: dict[str, float]) -> str:
    """Plain ASCII without a line end, whatever the client sent. `status`: 0 if the client left before an answer."""
    client = scope.get("client")
    values = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "client": client[0] if client else None,
        "key": made.key,
        "method": scope.get("method", "WEBSOCKET"),
        "path": str(scope["path"])[:_MOST_CHARACTERS],
        "status": status,
        **numbers,
    }
    if made.rows:
        problems, languages = (sorted(names)[:_MOST_NAMES] for names in (made.problems, made.languages))
        values |= {"rows": made.rows, "id": made.id, "problems": problems, "languages": languages}
    return json.dumps(values)


def open_audit(settings: Settings) -> logging.Logger | None:
    """Where calls are told; None: nowhere.

    Raises:
        ConfigError: the file cannot be written.
    """
    if settings.audit is None:
        return None
    log = logging.Logger("judge.audit", logging.INFO)  # of its own: nothing else writes there, nobody turns it down
    handler = logging.StreamHandler(sys.stderr) if settings.audit == "stderr" else _file(settings)
    handler.setFormatter(logging.Formatter("%(message)s"))
    log.addHandler(handler)
    return log


def _file(settings: Settings) -> logging.Handler:
    path = Path(settings.audit or "")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _Private(path, maxBytes=settings.audit_bytes, backupCount=settings.audit_files, encoding="ascii")
    except OSError as error:
        raise ConfigError(f"audit {path}: {error.strerror}; name a file that can be written, or stderr") from error


class _Private(RotatingFileHandler):
    """Its files can be read by this user only."""

    def _open(self):  # type: ignore[no-untyped-def] # typeshed and the library differ
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        return os.fdopen(descriptor, self.mode, encoding=self.encoding, errors=self.errors)
