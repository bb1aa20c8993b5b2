"""What stands between a client and the routes.

    a call ──► whose key? ──► body, whole and bounded ──► host and page ──► the routes, while its client is there
      └── one line of the audit log and one span for each, also for what is refused ──┘

A page of a foreign site can have its own name point at 127.0.0.1 (DNS rebinding). A browser on this machine then takes
our server for that site, and lets the page read what it answers. And any page may send a request that it cannot read,
or open a websocket, which it can: a browser names the page's site in `Origin`. So where no key is asked for, pages of
this machine are let in, whatever serves them: on each port and by each scheme. Pages without a site (`null`: a file, a
sandboxed frame) are not.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from judge.server.guarding.held import Crowded, Held, name_share
from judge.server.guarding.keys import Keys, find_key
from judge.server.observing.audit import CALL, Call, write_call
from judge.server.observing.traces import Traces
from judge.server.requests import check_values
from judge.server.settings import Settings
from problems.model import MIB

#: Bytes of a request with no key that we know: it is refused anyway, or comes from the page.
_MOST_UNKNOWN = MIB
#: A client that sends on while it is refused would not read why: it is heard out as long as its request has no more
#: than `_HEARD_OUT` times what it may have.
_HEARD_OUT = 4
_FOREIGN = "this server answers to names and pages of its own machine only; else start it with --keys or --open"
#: Where the answer has none of its own.
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Nothing to other sites. Not "no-referrer": with that, browsers say of our own forms that they come from nowhere.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Door:
    """The ASGI middleware. (One of Starlette's `http` kind keeps from routes that their client has left.)"""

    def __init__(
        self, app: ASGIApp, *, keys: Keys, settings: Settings, held: Held, log: logging.Logger | None, traces: Traces
    ) -> None:
        """`log`: as `open_audit` gives it. `traces`: each call is a span, too."""
        self._app, self._keys, self._held, self._log, self._traces = app, keys, held, log, traces
        self._most_bytes, self._most_seconds = settings.most_body, settings.body_seconds
        #: No key is asked for, so only names and pages of this machine are let in.
        self._own_only = settings.loopback and settings.keys is None and not settings.open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        call = Call(caller=self._keys.caller(find_key(headers)))
        CALL.set(call)
        answer = self._answer if scope["type"] == "http" else self._answer_socket
        with self._traces.request(scope.get("method", "WEBSOCKET"), str(scope["path"]), headers):
            if self._log is None:
                await answer(call, scope, receive, send)
            else:
                await write_call(self._log, partial(answer, call), call, scope, receive, send)

    async def _answer_socket(self, _: Call, scope: Scope, receive: Receive, send: Send) -> None:
        if self._lets_in(scope):
            await self._app(scope, receive, send)
            return
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": _FOREIGN})

    async def _answer(self, call: Call, scope: Scope, receive: Receive, send: Send) -> None:
        most = self._most_bytes if call.caller is not None else min(self._most_bytes, _MOST_UNKNOWN)
        body = _Body(most=most, share=name_share(call.caller, scope))
        try:
            refused = await self._read(body, receive)
            if refused is None and not body.left:
                content = b"".join(body.parts)
                body.parts.clear()
                if (refused := self._look(content, scope)) is None:
                    await _Client(content, receive, send).answer(self._app, scope)
            if refused is not None:
                await refused(scope, receive, send)
        finally:
            self._held.add(body.share, -body.kept)

    async def _read(self, body: _Body, receive: Receive) -> JSONResponse | None:
        """Read it whole, before anything looks at it. 413: it is too large; 408: it takes too long; 503: there are too
        many."""
        refused: JSONResponse | None = None
        try:
            async with asyncio.timeout(self._most_seconds):
                while not body.whole and body.size <= _HEARD_OUT * body.most:
                    message = await receive()
                    part: bytes = message.get("body", b"")
                    body.left = message["type"] == "http.disconnect"
                    body.whole = body.left or not message.get("more_body", False)
                    body.size += len(part)
                    if refused is None:
                        body.parts.append(part)
                        body.kept += len(part)
                        self._held.add(body.share, len(part))
                        refused = self._refuse(body)
        except TimeoutError:
            refused = JSONResponse({"error": "the request took too long"}, 408)
        if refused is not None:
            refused.headers["Connection"] = "close"
        return refused

    def _refuse(self, body: _Body) -> JSONResponse | None:
        if body.size > body.most:
            key = "" if body.most == self._most_bytes else " without a key that the server knows"
            return JSONResponse({"error": f"a request{key} may have {body.most} bytes"}, 413)
        if body.size and self._held.is_too_much(body.share):
            error = Crowded()
            return JSONResponse({"error": str(error)}, error.status, {"Retry-After": str(error.retry_s)})
        return None

    def _look(self, content: bytes, scope: Scope) -> JSONResponse | None:
        """What is wrong with a whole request, before a route looks at it. The rows of a batch are looked at one by
        one."""
        media = Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower()
        if media.endswith("json") and not scope["path"].startswith("/v1/batches"):
            try:
                check_values(content)
            except ValueError as error:
                return JSONResponse({"error": str(error)}, 413)
        return None if self._lets_in(scope) else JSONResponse({"error": _FOREIGN}, 403)

    def _lets_in(self, scope: Scope) -> bool:
        """Whether it comes by a name, and from a page, that may ask."""
        if not self._own_only:
            return True
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        return is_own(headers.get("host")) and (origin is None or is_own(origin.partition("://")[2]))


@dataclass(slots=True, kw_only=True)
class _Body:
    most: int
    #: Whose memory it takes.
    share: str
    size: int = 0
    #: Bytes of it that are in memory, or were.
    kept: int = 0
    whole: bool = False
    #: Its sender has.
    left: bool = False
    parts: list[bytes] = field(default_factory=list)


class _Client:
    """The client of one request. When it hangs up it is waited for no longer: the answering is cancelled, whatever that
    waits for."""

    def __init__(self, content: bytes, receive: Receive, send: Send) -> None:
        self._body: Message | None = {"type": "http.request", "body": content, "more_body": False}
        self._receive, self._send = receive, send
        self._left = asyncio.Event()
        #: It has its whole answer: the end of the connection says nothing then.
        self._answered = False

    async def answer(self, app: ASGIApp, scope: Scope) -> None:
        answering = asyncio.ensure_future(app(scope, self.receive, self.send))
        leaving = asyncio.create_task(self._leave())
        try:
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not (answering.done() or self._answered):
                answering.cancel()
                with suppress(asyncio.CancelledError):  # it was for nobody
                    await answering
            else:
                await answering
        finally:
            leaving.cancel()
            answering.cancel()

    async def _leave(self) -> None:
        """Until it has left."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._left.set()

    async def receive(self) -> Message:
        if (body := self._body) is not None:
            self._body = None
            return body
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        self._answered |= message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)


def is_own(host: str | None) -> bool:
    """`host`: the header, with or without a port. No browser leaves it out."""
    if host is None:
        return True
    try:
        name = (urlsplit(f"//{host}").hostname or "").removesuffix(".")
        return name == "localhost" or name.endswith(".localhost") or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
