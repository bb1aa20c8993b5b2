"""The process that serves: how it ends when it is asked to, and how long a client may take to begin a request.

SIGTERM or SIGINT ─► nothing more is begun, what waits is left to others
                  ─► what has begun ends, for `drain_seconds` at most, or until a second signal
                  ─► connections are closed ─► exit code 0
"""

from __future__ import annotations

import asyncio
import math
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import uvicorn
from fastapi import FastAPI
from uvicorn.config import HTTP_PROTOCOLS
from uvicorn.importer import import_from_string

from judge.common.ending import taking_time, told_to
from judge.server.settings import Settings

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol

#: Seconds for connections to end after all work has.
_CLOSE_S = 5


def serve(app: FastAPI, settings: Settings, listening: socket.socket, *, chatty: bool) -> None:
    """Until a signal asks for the end. `chatty`: log each request for somebody who looks."""
    config = uvicorn.Config(
        app,
        http=_limit_head(settings.body_seconds),
        log_config=None,
        access_log=chatty,
        timeout_graceful_shutdown=_CLOSE_S,
        server_header=False,
        ws_max_size=settings.most_body,
    )
    with ExitStack() as stack:
        _Server(config, app, settings.drain_seconds, stack).run(sockets=[listening])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, app: FastAPI, drain_s: float, stack: ExitStack) -> None:
        """From the start of the server to the end of `stack`, signals are the server's."""
        super().__init__(config)
        self._app, self._drain_s, self._stack = app, drain_s, stack
        self._hurry = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        loop = asyncio.get_running_loop()
        self._stack.enter_context(taking_time(math.inf, math.inf))
        self._stack.enter_context(told_to(lambda: loop.call_soon_threadsafe(self._end)))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        draining = asyncio.create_task(self._app.state.service.drain(self._drain_s))
        hurried = asyncio.create_task(self._hurry.wait())
        await asyncio.wait({draining, hurried}, return_when=asyncio.FIRST_COMPLETED)
        hurried.cancel()
        draining.cancel()
        await super().shutdown(sockets)

    def _end(self) -> None:
        if self.should_exit:
            self._hurry.set()
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """`judge.common.ending` does. The usual one raises them again when all has ended: the exit code would tell of
        a death."""
        yield


def _limit_head(seconds: float) -> type[asyncio.Protocol]:
    """uvicorn's protocol, that hangs up on a client who takes longer to send the head of a request. uvicorn itself
    waits for ever: as many silent clients as there are descriptors would keep everybody else out."""
    base: type[H11Protocol] = import_from_string(HTTP_PROTOCOLS["auto"])

    class Timed(base):  # type: ignore[misc, valid-type]
        _head: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self._await_head()

        def data_received(self, data: bytes) -> None:
            before = self.cycle
            super().data_received(data)
            if self.cycle is not before:  # a request has begun
                self._cancel()
            elif self._head is None and (self.cycle is None or self.cycle.response_complete):
                self._await_head()

        def connection_lost(self, error: Exception | None) -> None:
            self._cancel()
            super().connection_lost(error)

        def _await_head(self) -> None:
            self._head = self.loop.call_later(seconds, self._hang_up)

        def _cancel(self) -> None:
            if self._head is not None:
                self._head.cancel()
                self._head = None

        def _hang_up(self) -> None:
            self._head = None
            if self.transport.get_protocol() is self:  # else it is a websocket by now
                self.transport.close()

    return Timed
