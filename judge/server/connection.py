"""A connection of HTTP: what clients do that uvicorn's protocol does not look at.

the client …                            it is …
opens more connections than its share   told 503
takes too long to send a request's head hung up on
sends on before it has its answer       heard, so that its end is: what comes is kept or, if it is much, dropped
shuts the side that sends               answered if it still reads: `100 Continue` asks its system
vanishes without a word                 missed by TCP (keep-alive)
reads nothing of what waits for it      hung up on
sends half a message of a websocket     hung up on when its time is over, or there is no memory for it
"""

from __future__ import annotations

import asyncio
import json
import resource
import socket
from functools import cached_property

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from judge.server.guarding.held import Held, Shares
from judge.server.settings import Settings

#: The most descriptors that we ask for. A connection is one; the others are for programs and files of the judge, which
#: would fail without. All addresses together have half of them, at the very most.
_DESCRIPTORS, _PER_PLACE = 16_384, 4
_REFUSAL = json.dumps({"error": "too many connections at once; try again in 1 s"})
_FULL = (
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Type: application/json\r\n"
    f"Content-Length: {len(_REFUSAL)}\r\n\r\n{_REFUSAL}"
).encode()
#: Bytes of further requests that are kept. With more of them the connection ends after the answer to the first.
_MOST_EARLY = 64 * 1024
#: Parts of one message: each takes more memory than it has bytes.
_MOST_FRAMES = 65_536
#: Seconds to the second question whether a client still reads. Each pause is twice the last one, up to the most.
_ASK_S, _MOST_ASK_S = 0.1, 2.0
_ASK = b"HTTP/1.1 100 Continue\r\n\r\n"
#: What TCP_INFO begins with when the other side has refused something, or answers no more.
_TCP_CLOSE = 7
#: Seconds between two looks whether what waits for a client becomes less, and for which it may not.
_LOOK_S, _UNREAD_S = 10.0, 600.0
#: A client that says nothing is asked by TCP: seconds to the first question and between two, and how many there are.
_TCP_KEEPALIVE = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 15),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 5),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
)


def make_protocols(settings: Settings, held: Held) -> tuple[type[H11Protocol], type[WebSocketsSansIOProtocol]]:
    """Those of HTTP and of websockets. A client may take as long to send a body as it may take for the head, or for a
    message. Plain uvicorn waits for ever: as many silent clients as there are descriptors would keep everybody else
    out."""
    known = {"most_s": settings.body_seconds, "held": held, "places": Shares(_raise_descriptors() // _PER_PLACE)}
    return type("Connection", (_Connection,), known), type("Socket", (_Socket,), known)


def _raise_descriptors() -> int:
    """How many descriptors this process may have from now on."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < _DESCRIPTORS:
        soft = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return min(soft, _DESCRIPTORS) if soft >= 0 else _DESCRIPTORS


class _Connection(H11Protocol):
    most_s: float
    #: Connections of each address.
    places: Shares
    _head: asyncio.TimerHandle | None = None
    _early = b""
    #: The client has shut the side that sends.
    _half_closed = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.places.add(_host(self.client), 1)
        if self.places.is_too_much(_host(self.client)):
            transport.write(_FULL)
            transport.close()
            return
        connection = transport.get_extra_info("socket")
        for level, option, value in _TCP_KEEPALIVE:
            connection.setsockopt(level, option, value)
        _look_whether_it_reads(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self.places.add(_host(self.client), -1)
        self._cancel_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._answers:
            if len(self._early) + len(data) > _MOST_EARLY:
                self._early, self.cycle.keep_alive = b"", False
            elif self.cycle.keep_alive:
                self._early += data
            return
        before = self.cycle
        super().data_received(data)
        if self._answers:  # uvicorn stops reading where a further request has begun, and would not see the end
            self.flow.resume_reading()
        if self.cycle is not before:  # a request has begun
            self._cancel_head()
        elif self._head is None and (self.cycle is None or self.cycle.response_complete):
            self._await_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        early, self._early = self._early, b""
        if early and not self.transport.is_closing():
            self.data_received(early)
        if self._half_closed and not self._answers:
            self.transport.close()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether the connection stays open. Who hangs up says no more than who has only sent everything."""
        self._half_closed = self._answers and not self.cycle.response_started and self.scope["http_version"] == "1.1"
        if self._half_closed:
            self._ask(_ASK_S)
        return self._half_closed

    @property
    def _answers(self) -> bool:
        """A whole request has no whole answer."""
        return self.cycle is not None and not (self.cycle.more_body or self.cycle.response_complete)

    def _ask(self, pause_s: float) -> None:
        """The system of a client that has gone refuses the question. In the middle of an answer TCP asks."""
        if self.transport.is_closing():
            return
        connection = self.transport.get_extra_info("socket")
        if connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == _TCP_CLOSE:
            self.transport.abort()
            return
        if self._answers and not self.cycle.response_started:
            self.transport.write(_ASK)
        self.loop.call_later(pause_s, self._ask, min(_MOST_ASK_S, 2 * pause_s))

    def _await_head(self) -> None:
        self._head = self.loop.call_later(self.most_s, self._hang_up)

    def _cancel_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _hang_up(self) -> None:
        self._head = None
        if self.transport.get_protocol() is self:  # else it is a websocket by now
            self.transport.close()


class _Socket(WebSocketsSansIOProtocol):
    """A message comes whole, as a body does."""

    most_s: float
    places: Shares
    held: Held
    #: Bytes of a message that is not whole, and when its time is over.
    _size = 0
    _late: asyncio.TimerHandle | None = None

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        unfinished = bool(self.frames or self.conn.reader.buffer) and not self.transport.is_closing()
        self._keep(self._size + len(data) if unfinished else 0)
        if unfinished and (self.held.is_too_much(self._party) or len(self.frames) > _MOST_FRAMES):
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.places.add(_host(self.client), -1)  # which it has from the connection of HTTP
        self._keep(0)
        self.frames.clear()  # whoever still refers to this
        self.conn.reader.buffer.clear()

    def _keep(self, size: int) -> None:
        if size == self._size:
            return
        self.held.add(self._party, size - self._size)
        self._size = size
        if self._late is None and size:
            self._late = self.loop.call_later(self.most_s, self.transport.abort)
        elif self._late is not None and not size:
            self._late.cancel()
            self._late = None

    @cached_property
    def _party(self) -> str:
        return self.held.find_party(self.scope)  # type: ignore[arg-type]


def _look_whether_it_reads(transport: asyncio.Transport, before: int = 0, since_s: float = 0.0) -> None:
    """Abort a connection whose client does not read what waits for it, also one of a websocket, and one that was closed
    on our side: asyncio keeps that open for ever. `before`: how much waited at the last look; `since_s`: when that
    became less for the last time."""
    size, closing = transport.get_write_buffer_size(), transport.is_closing()
    if closing and not size:
        return
    loop = asyncio.get_running_loop()
    if not size or size < before:
        since_s = loop.time()
    if size and loop.time() - since_s >= (_LOOK_S if closing else _UNREAD_S):
        transport.abort()
    else:
        loop.call_later(_LOOK_S, _look_whether_it_reads, transport, size, since_s)


def _host(client: tuple[str, int] | None) -> str:
    return client[0] if client else ""
