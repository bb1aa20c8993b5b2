"""How large and how slow a request may be."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi.responses import JSONResponse
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from judge.server.guarding.held import Crowded, Held
from judge.server.guarding.keys import Keys, find_key
from judge.server.requests import check_values
from judge.server.settings import Settings
from problems.model import MIB

#: Bytes of a request with no key that we know: it is refused anyway, or comes from the page.
_MOST_UNKNOWN = MIB
#: A client that sends on while it is refused would not read why: it is heard out as long as its request has no more
#: than so many times what it may have.
_HEARD_OUT = 4


class Bounded:
    """ASGI middleware that reads each body whole before anything looks at it. 413: it is too large; 408: it takes too
    long; 503: there are too many."""

    def __init__(self, app: ASGIApp, keys: Keys, settings: Settings, held: Held) -> None:
        self._app, self._keys, self._held = app, keys, held
        self._most_bytes, self._most_seconds = settings.most_body, settings.body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(self._most(scope), self._held.find_party(scope))
        try:
            await self._answer(body, scope, receive, send)
        finally:
            self._held.add(body.party, -body.kept)

    def _most(self, scope: Scope) -> int:
        known = self._keys.caller(find_key(Headers(scope=scope))) is not None
        return self._most_bytes if known else min(self._most_bytes, _MOST_UNKNOWN)

    async def _answer(self, body: _Body, scope: Scope, receive: Receive, send: Send) -> None:
        refused: JSONResponse | None = None
        try:
            async with asyncio.timeout(self._most_seconds):
                while not body.whole and body.size <= _HEARD_OUT * body.most:
                    self._held.add(body.party, body.add(await receive(), keep=refused is None))
                    refused = refused or self._refuse(body)
        except TimeoutError:
            refused = JSONResponse({"error": "the request took too long"}, 408)
        if refused is not None:
            refused.headers["Connection"] = "close"
            await refused(scope, receive, send)
        elif not body.left:
            content = body.take()
            if _is_json(scope):
                try:
                    check_values(content)
                except ValueError as error:
                    await JSONResponse({"error": str(error)}, 413)(scope, receive, send)
                    return
            await self._app(scope, _replay(content, receive), send)

    def _refuse(self, body: _Body) -> JSONResponse | None:
        if body.size > body.most:
            key = "" if body.most == self._most_bytes else " without a key that the server knows"
            return JSONResponse({"error": f"a request{key} may have {body.most} bytes"}, 413)
        if body.size and self._held.is_too_much(body.party):
            error = Crowded()
            return JSONResponse({"error": str(error)}, error.status, {"Retry-After": str(error.retry_s)})
        return None


class _Body:
    def __init__(self, most: int, party: str) -> None:
        self.most, self.party, self.size = most, party, 0
        #: Bytes of it that are in memory, or were.
        self.kept = 0
        self.whole = False
        #: Its sender has.
        self.left = False
        self._parts: list[bytes] = []

    def add(self, message: Message, *, keep: bool) -> int:
        """How many bytes of it are kept."""
        self.left = message["type"] == "http.disconnect"
        self.whole = self.left or not message.get("more_body", False)
        part: bytes = message.get("body", b"")
        self.size += len(part)
        if not keep:
            return 0
        self._parts.append(part)
        self.kept += len(part)
        return len(part)

    def take(self) -> bytes:
        content = b"".join(self._parts)
        self._parts.clear()
        return content


def _is_json(scope: Scope) -> bool:
    """Whether a route reads the body as JSON at once. The rows of a batch are read one by one."""
    media = Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower()
    return media.endswith("json") and not scope["path"].startswith("/v1/batches")


def _replay(content: bytes, receive: Receive) -> Receive:
    """What gives the body at once, then what comes after it."""
    messages: list[dict[str, Any]] = [{"type": "http.request", "body": content, "more_body": False}]

    async def again() -> Message:
        return messages.pop() if messages else await receive()

    return again
