"""What is run for a client that waits, and stored nowhere: it is forgotten if this server ends."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from containers import ContainerError, SandboxError
from judge.common.execution import Execution
from judge.common.models import Judgement, Verdict
from judge.judging.commands import Ran
from judge.server.guarding.keys import Keys, Limits
from judge.server.guarding.limits import Full, Refused, check_at_once, check_cpu, spent_ns
from judge.server.observing.audit import call
from judge.server.storing.store import Row, Store

T = TypeVar("T")
#: What stands for the language of a command line, which has none.
_COMMAND = "command"
#: Seconds between two looks whether there is room.
_TURN_S = 0.05
Observe = Callable[[Row, Judgement | Execution], None]


class AtOnce:
    """`run` is for the event loop's thread, the rest for any."""

    def __init__(self, store: Store, keys: Keys, most: int, check_open: Callable[[], None], observe: Observe) -> None:
        """`most`: how much may wait or run. `check_open`: raises if nothing may begin any more. `observe`: is told of
        what has ended, as of a row of the database."""
        self._store, self._keys, self._most = store, keys, most
        self._check_open, self._observe = check_open, observe
        self._lock = threading.Lock()
        #: What waits or runs, and for which key. It stays here until it has ended, also if its client has left.
        self._owners: dict[Future[Any], str] = {}
        #: Ends when an owner was charged, also if its client has left.
        self._charging: set[asyncio.Task[Any]] = set()

    @property
    def count(self) -> int:
        """How much waits or runs."""
        return len(self._owners)

    async def admit(self, slots: int) -> None:
        """`slots`: how much the Judge does at once.

        Raises:
            Refused: too much waits, or the key has used up its CPU time.
        """
        owner = call().key or ""
        limits = self._keys.limits(owner)
        if limits.of_cpu:
            await asyncio.to_thread(check_cpu, self._store, owner, limits)
        self._check_open()
        self._check_room(owner, limits, slots)

    async def run(self, begin: Callable[[], Future[T]], slots: int, trace: str | None, *, taken: bool = False) -> T:
        """What the Judge makes of what `begin` hands to it. `slots`: as of `admit`. `taken`: it is a part of what was
        admitted before, and waits until there is room.

        Raises:
            Refused: as of `admit`.
        """
        row = Row(id=secrets.token_urlsafe(16), kind="execution", owner=call().key or "", request="", trace=trace)
        limits = self._keys.limits(row.owner)
        if taken:
            await self._turn(row.owner, limits, slots)
        else:
            await self.admit(slots)
        work = begin()
        with self._lock:
            self._owners[work] = row.owner
        work.add_done_callback(partial(self._ended, row))
        if not limits.of_cpu:
            return await asyncio.wrap_future(work)
        charged = asyncio.create_task(self._charged(work, row.owner))
        self._charging.add(charged)
        charged.add_done_callback(self._charging.discard)
        try:
            return await asyncio.shield(charged)
        except asyncio.CancelledError:  # its client has left
            work.cancel()  # in vain if it runs
            raise

    async def _charged(self, work: Future[T], owner: str) -> T:
        """The result, when the owner has been charged for it."""
        result = await asyncio.wrap_future(work)
        await asyncio.to_thread(self._store.spend, owner, spent_ns(result))
        return result

    async def _turn(self, owner: str, limits: Limits, slots: int) -> None:
        """Wait until there is room."""
        while True:
            self._check_open()
            try:
                return self._check_room(owner, limits, slots)
            except Refused:
                await asyncio.sleep(_TURN_S)

    def _check_room(self, owner: str, limits: Limits, slots: int) -> None:
        if (count := self.count) >= self._most:
            raise Full(max(1, min(60, count // (20 * slots))))
        with self._lock:
            own = sum(each == owner for each in self._owners.values())
        check_at_once(owner, limits, own)

    def _ended(self, row: Row, work: Future[Any]) -> None:
        """Called in a thread of the Judge, before who waits hears of it."""
        with self._lock:
            del self._owners[work]
        if work.cancelled():
            return
        error = work.exception()
        for each in _failed(error) if error is not None else _told(work.result()):
            self._observe(replace(row, kind="judgement") if isinstance(each, Judgement) else row, each)


def _told(result: object) -> list[Judgement | Execution]:
    """What came of it, as observers read it."""
    match result:
        case Judgement() | Execution():
            return [result]
        case Ran():
            usage = result.outcome.usage
            return [
                Execution(
                    language=_COMMAND,
                    verdict=None if result.ruling is None else result.ruling.verdict,
                    cpu_ns=usage.cpu_ns,
                    wall_ns=usage.wall_ns,
                    memory_bytes=usage.memory_bytes,
                )
            ]
        case list():
            return [one for each in result for one in _told(each)]
    return []


def _failed(error: BaseException) -> list[Execution]:
    """Our failures; a program that cannot be run at all is its client's."""
    if not isinstance(error, ContainerError):
        return []
    why = f"the sandbox failed: {error}" if isinstance(error, SandboxError) else str(error)
    return [Execution(language=_COMMAND, verdict=Verdict.IE, detail=why)]
