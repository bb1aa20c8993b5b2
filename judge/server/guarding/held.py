"""How many bytes of clients are in memory at once: bodies, messages of websockets, and what waits to be read."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from starlette.datastructures import Headers
from starlette.types import Scope

from judge.server.guarding.keys import Keys, find_key
from judge.server.guarding.limits import Refused
from judge.server.settings import Settings
from problems.model import MIB

T = TypeVar("T")
#: Bytes of all, at least; and in units of the largest one.
_AT_ONCE_BYTES, _AT_ONCE = 256 * MIB, 8
_RETRY_S = 1


class Crowded(Refused):
    """There is no memory for it now: 503."""

    def __init__(self) -> None:
        super().__init__(f"too many requests at once; try again in {_RETRY_S} s", _RETRY_S)
        self.status = 503


class Held:
    """Bytes of each party: a key or, where none is known, an address. For the event loop's thread.

    A party is refused when all together have too many, and it has its share of them: one that sends little is served
    beside one that fills the memory. So all have twice as many as there may be, at the very most.
    """

    def __init__(self, keys: Keys, settings: Settings) -> None:
        self._keys = keys
        self._most_bytes = max(_AT_ONCE_BYTES, _AT_ONCE * settings.most_body)
        self._bytes = Counter[str]()

    @property
    def all_bytes(self) -> int:
        return self._bytes.total()

    def find_party(self, scope: Scope) -> str:
        """Who sends a request. The first letter tells names from addresses."""
        caller = self._keys.caller(find_key(Headers(scope=scope)))
        host = (scope.get("client") or ("",))[0]
        return f"k{caller.name}" if caller is not None and caller.name else f"a{host}"

    def add(self, party: str, count: int) -> None:
        """`count`: below zero when they are in memory no more."""
        if count:
            self._bytes[party] += count
            if not self._bytes[party]:
                del self._bytes[party]

    def is_too_much(self, party: str) -> bool:
        """Whether a party has more than there is memory for."""
        return self.all_bytes > self._most_bytes and self._bytes[party] * len(self._bytes) > self._most_bytes

    @contextmanager
    def holding(self, scope: Scope, count: int) -> Iterator[None]:
        """A context in which so many bytes of a websocket's message are in memory.

        Raises:
            Crowded: there is no memory for them.
        """
        party = self.find_party(scope)
        self.add(party, count)
        try:
            if self.is_too_much(party):
                raise Crowded
            yield
        finally:
            self.add(party, -count)


class Unread(Generic[T]):
    """What a program has said and its client, by a websocket, has not yet read. For the event loop's thread."""

    def __init__(self, held: Held, scope: Scope, stop: Callable[[], None]) -> None:
        """`stop` is called when there is no memory for more."""
        self._held, self._party, self._stop = held, held.find_party(scope), stop
        self._queue: asyncio.Queue[tuple[T, int]] = asyncio.Queue()

    def put(self, message: T, size: int) -> None:
        self._held.add(self._party, size)
        self._queue.put_nowait((message, size))
        if self._held.is_too_much(self._party):
            self._stop()

    async def pass_on(self, send: Callable[[T], Awaitable[None]]) -> None:
        """Until it is cancelled: then nothing is kept."""
        try:
            while True:
                message, size = await self._queue.get()
                try:
                    await send(message)
                finally:
                    self._held.add(self._party, -size)
                    self._queue.task_done()
        finally:
            while not self._queue.empty():
                self._held.add(self._party, -self._queue.get_nowait()[1])

    async def join(self) -> None:
        """Until all was read."""
        await self._queue.join()
