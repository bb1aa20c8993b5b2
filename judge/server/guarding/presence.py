"""A client that hangs up is waited for no longer: the handling of its request is cancelled, whatever it waits for."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Present:
    """ASGI middleware, inside of the one that reads bodies whole (`Bounded`)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client = _Client(await receive(), receive, send)
        answering = asyncio.ensure_future(self._app(scope, client.receive, client.send))
        leaving = asyncio.create_task(client.leave())
        try:
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not (answering.done() or client.answered):
                answering.cancel()
                with suppress(asyncio.CancelledError):  # it was for nobody
                    await answering
            else:
                await answering
        finally:
            leaving.cancel()
            answering.cancel()


class _Client:
    def __init__(self, body: Message, receive: Receive, send: Send) -> None:
        self._body: Message | None = body
        self._receive, self._send = receive, send
        self._left = asyncio.Event()
        #: It has its whole answer: the end of the connection says nothing then.
        self.answered = False

    async def leave(self) -> None:
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
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self.answered = True
        await self._send(message)
