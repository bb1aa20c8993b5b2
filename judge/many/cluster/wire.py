"""Calls between two processes of one machine, over a socket: each side calls methods of the other's handler.

    frame = length (8 bytes), pickle of (number, method, arguments)     a call; number 0: nobody waits for an answer
                              or of (number, None, result or Failed)    the answer to it

Both ends are processes of the judge. Judged programs have no descriptor of the socket.
"""

from __future__ import annotations

import asyncio
import copyreg
import inspect
import io
import itertools
import pickle
import socket
import struct
from dataclasses import fields
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Protocol, TypeVar, cast

from judge import languages
from judge.common.models import CompileResult, IsolationReport, Judgement, Options, Submission, TestResult
from judge.languages import Language
from judge.many.cluster.actor import Dead, Failed

_Value = TypeVar("_Value")

_LENGTH = struct.Struct("<Q")


#: What goes over the wire with each row. A dataclass with slots pickles itself by asking for its fields one by one.
_FREQUENT = (Submission, Options, Judgement, TestResult, CompileResult, IsolationReport)
_VALUES: dict[type, attrgetter[Any]] = {kind: attrgetter(*(field.name for field in fields(kind))) for kind in _FREQUENT}
#: Set the slots of a frozen object.
_SETTERS: dict[type, list[Any]] = {
    kind: [vars(kind)[field.name].__set__ for field in fields(kind)] for kind in _FREQUENT
}


def rebuild(kind: type[_Value], values: tuple[object, ...]) -> _Value:
    """The object of a frequent kind with these values, which were checked where it was made."""
    made = object.__new__(kind)
    for put, value in zip(_SETTERS[kind], values, strict=True):
        put(made, value)
    return made


def read_only(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


class _Pickler(pickle.Pickler):
    #: And what has no pickle of its own; a language is known by its name on both sides.
    dispatch_table = (
        copyreg.dispatch_table
        | {kind: lambda what, kind=kind: (rebuild, (kind, _VALUES[kind](what))) for kind in _FREQUENT}
        | {
            MappingProxyType: lambda proxy: (read_only, (dict(proxy),)),
            Language: lambda language: (languages.get, (language.name,)),
        }
    )


def _pickle(what: object) -> bytes:
    file = io.BytesIO()
    _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(what)
    return file.getvalue()


class Handler(Protocol):
    """Whose methods the other end calls by their names."""

    def end(self) -> None:
        """The other end is gone."""


class Wire(asyncio.Protocol):
    """One end. Use it in one event loop only."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._numbers = itertools.count(1)
        self._calls: dict[int, asyncio.Future[Any]] = {}
        self._answering: set[asyncio.Task[None]] = set()
        #: Set when the other end is gone.
        self.ended = asyncio.Event()

    @classmethod
    async def open(cls, handler: Handler, end: socket.socket) -> Wire:
        """`end`: of a pair of connected sockets; the wire owns it from now on."""
        return (await asyncio.get_running_loop().create_unix_connection(lambda: cls(handler), sock=end))[1]

    async def call(self, method: str, *arguments: object) -> Any:
        """
        Raises:
            Dead: the other end is gone.
            Failed: the method raised.
        """
        number, answer = next(self._numbers), asyncio.get_running_loop().create_future()
        self._calls[number] = answer
        try:
            self._send(number, method, arguments)
            result = await answer
        finally:
            self._calls.pop(number, None)
        if isinstance(result, Failed):
            raise result
        return result

    def tell(self, method: str, *arguments: object) -> None:
        """Call a method that answers nothing, and do not wait. Nothing happens if the other end is gone."""
        if not self.ended.is_set():
            self._send(0, method, arguments)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _send(self, number: int, method: str | None, what: object) -> None:
        if self._transport is None or self.ended.is_set():
            raise Dead("the process is gone")
        frame = _pickle((number, method, what))
        self._transport.write(_LENGTH.pack(len(frame)) + frame)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        received = self._received
        received += data
        at = 0
        while len(received) - at >= _LENGTH.size:
            ends = at + _LENGTH.size + _LENGTH.unpack_from(received, at)[0]
            if len(received) < ends:
                break
            with memoryview(received) as view:
                frame = pickle.loads(view[at + _LENGTH.size : ends])  # noqa: S301 - a process of ours wrote it
            at = ends
            self._take(*frame)
        del received[:at]

    def _take(self, number: int, method: str | None, what: Any) -> None:
        if method is None:
            if (call := self._calls.get(number)) is not None and not call.done():
                call.set_result(what)
            return
        result = getattr(self.handler, method)(*what)
        if inspect.isawaitable(result):
            task = asyncio.ensure_future(self._answer(number, result))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)

    async def _answer(self, number: int, result: Any) -> None:
        try:
            answer = await result
        except Exception as error:  # whatever it is: who called learns of it
            answer = Failed(repr(error))
        if number and not self.ended.is_set():
            self._send(number, None, answer)

    def connection_lost(self, error: Exception | None) -> None:
        self.ended.set()
        self.handler.end()
        for call in self._calls.values():
            if not call.done():
                call.set_exception(Dead(f"its connection ended: {error}" if error else "its process ended"))
