"""The process that serves: how it ends when it is asked to.

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

import uvicorn
from fastapi import FastAPI

from judge.common.ending import taking_time, told_to
from judge.server.connection import make_protocols
from judge.server.settings import Settings

#: Seconds for connections to end after all work has.
_CLOSE_S = 5


def serve(app: FastAPI, settings: Settings, listening: socket.socket, *, chatty: bool) -> None:
    """Until a signal asks for the end. `chatty`: log each request for somebody who looks."""
    http, websockets = make_protocols(settings, app.state.held)
    config = uvicorn.Config(
        app,
        http=http,
        ws=websockets,
        ws_per_message_deflate=False,  # a few bytes would fill the memory
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
        self._stack.enter_context(told_to(lambda: loop.call_soon_threadsafe(self._end), instead=True))

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
