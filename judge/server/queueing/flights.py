"""A request that is sent again while the first is being answered is answered together with it: retries do not
multiply."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute

from judge.server.guarding.keys import find_key
from judge.server.observing.audit import Call, call

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


@dataclass(slots=True, kw_only=True)
class _Flight:
    task: asyncio.Task[Response]
    #: What is told of the request that began it.
    call: Call
    waiting: int = 0


class Flights:
    """Of the event loop's thread."""

    def __init__(self) -> None:
        self._flights: dict[bytes, _Flight] = {}

    async def answer(self, key: bytes, begin: Callable[[], Coroutine[Any, Any, Response]]) -> Response:
        """What `begin` answers to the first request with this key. When all who wait for it have left, it is
        cancelled."""
        flight = self._flights.get(key)
        if flight is None:
            task = asyncio.create_task(begin())
            flight = self._flights[key] = _Flight(task=task, call=call())
            task.add_done_callback(lambda ended: self._on_landed(key, ended))
        flight.waiting += 1
        try:
            response = await asyncio.shield(flight.task)
        except asyncio.CancelledError:
            if flight.waiting == 1:
                self._flights.pop(key, None)  # who comes now begins anew
                flight.task.cancel()
            raise
        finally:
            flight.waiting -= 1
        call().key = flight.call.key
        return response

    def _on_landed(self, key: bytes, ended: asyncio.Task[Response]) -> None:
        if (flight := self._flights.get(key)) is not None and flight.task is ended:
            del self._flights[key]
        if not ended.cancelled():
            ended.exception()  # who waited has it


def share_equal(handler: Handler) -> Handler:
    """The handler of a route that runs something and keeps nothing: equal requests of one sender are one job."""

    async def handle(request: Request) -> Response:
        if request.method != "POST":
            return await handler(request)
        flights: Flights = request.app.state.flights
        return await flights.answer(await _key(request), lambda: handler(request))

    return handle


class SharedRoute(APIRoute):
    def get_route_handler(self) -> Handler:
        return share_equal(super().get_route_handler())


async def _key(request: Request) -> bytes:
    """Who asks for what."""
    address = request.client.host if request.client else ""
    digest = hashlib.sha256()
    for part in (
        find_key(request.headers) or address,
        request.url.path,
        request.url.query,
        request.headers.get("content-type", ""),
        await request.body(),
    ):
        content = part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape")
        digest.update(len(content).to_bytes(8) + content)
    return digest.digest()
