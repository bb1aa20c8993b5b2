"""How many bytes of clients are in memory at once: bodies, messages of websockets, and what waits to be read."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from starlette.datastructures import Headers
from starlette.types import Scope

from judge.server.guarding.keys import Caller, Keys, find_key
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


class Shares:
    """How much each party has of what there is a most of.

    A party is refused when all together have more, and it has its share: who takes little is served beside one that
    takes all there is. So all have twice the most, at the very most.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._counts = Counter[str]()
        self._all = 0

    @property
    def all(self) -> int:
        return self._all

    def add(self, party: str, count: int) -> None:
        """`count`: below zero when it has so much less."""
        self._all += count
        self._counts[party] += count
        if not self._counts[party]:
            del self._counts[party]

    def is_too_much(self, party: str) -> bool:
        """Whether a party has more than there is for it."""
        return self._all > self.most and self._counts[party] * len(self._counts) > self.most


def name_share(caller: Caller | None, scope: Scope) -> str:
    """Whose share of the memory a call takes: the first letter tells names from addresses."""
    host = (scope.get("client") or ("",))[0]
    return f"k{caller.name}" if caller is not None and caller.name else f"a{host}"


class Held(Shares):
    """Bytes of each party: a key or, where none is known, an address. For the event loop's thread."""

    def __init__(self, keys: Keys, settings: Settings) -> None:
        super().__init__(max(_AT_ONCE_BYTES, _AT_ONCE * settings.most_body))
        self._keys = keys

    def find_party(self, scope: Scope) -> str:
        """Who has opened a websocket."""
        return name_share(self._keys.caller(find_key(Headers(scope=scope))), scope)

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
