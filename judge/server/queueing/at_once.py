"""What is run for a client that waits, and stored nowhere: it is forgotten if this server ends or its client leaves."""

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
from judge.common.errors import Cancelled
from judge.common.execution import Execution
from judge.common.models import Judgement, Verdict
from judge.judging.commands import Ran
from judge.server.guarding.keys import Keys, Limits
from judge.server.guarding.limits import Busy, Full, Refused, Stopping, check_at_once, check_cpu, spent_ns
from judge.server.observing.audit import call
from judge.server.observing.observed import Observe
from judge.server.queueing.turns import Job, Turns
from judge.server.storing.store import Row, Store
from problems.model import SECOND_NS

T = TypeVar("T")
#: What stands for the language of a command line, which has none.
_COMMAND = "command"
#: Seconds between two looks whether there is room.
_TURN_S = 0.05


class AtOnce:
    """`run` is for the event loop's thread, the rest for any."""

    def __init__(self, store: Store, keys: Keys, most: int, check_open: Callable[[], None], observe: Observe) -> None:
        """`most`: how much may wait or run. `check_open`: raises if nothing may begin any more. `observe`: is told of
        what has ended, as of a row of the database."""
        self._store, self._keys, self._most = store, keys, most
        self._check_open, self._observe = check_open, observe
        self._lock = threading.Lock()
        #: What waits or runs, and for which key. It stays here until it has ended, also if its client has left.
        self._owners: dict[Job[Any], str] = {}
        #: Ends when an owner was charged, also if its client has left.
        self._charging: set[asyncio.Task[Any]] = set()
        #: Set when nothing that runs may go on.
        self._over = asyncio.Event()

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

    async def run(
        self,
        begin: Callable[[], Future[T]],
        turns: Turns,
        slots: int,
        trace: str | None,
        *,
        longest_ns: int | None = None,
        taken: bool = False,
        repeats: bool = True,
    ) -> T:
        """What the Judge makes of what `begin` hands to it. If its client leaves, it is dropped or stopped. `slots`: as
        of `admit`. `longest_ns`: how long it may run. `taken`: it is a part of what was admitted before, and waits
        until there is room. `repeats`: as of `Turns.submit`.

        Raises:
            Refused: as of `admit`; or it would wait for longer than it may run itself; or this server ends.
        """
        row = Row(id=secrets.token_urlsafe(16), kind="execution", owner=call().key or "", request="", trace=trace)
        limits = self._keys.limits(row.owner)
        if taken:
            await self._turn(row.owner, limits, slots)
        else:
            await self.admit(slots)
            check_wait(turns, longest_ns)
        job = turns.submit(call().party, begin, repeats=repeats)
        with self._lock:
            self._owners[job] = row.owner
        job.future.add_done_callback(partial(self._on_ended, row, job))
        ended = asyncio.create_task(self._charge(job, row.owner, charges=limits.of_cpu))
        self._charging.add(ended)
        ended.add_done_callback(self._forget)
        return await self._wait(job, ended, turns)

    async def _wait(self, job: Job[T], ended: asyncio.Task[T], turns: Turns) -> T:
        """For the result, until its client leaves or this server ends."""
        over = asyncio.create_task(self._over.wait())
        try:
            await asyncio.wait({ended, over}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:  # its client has left
            turns.drop(job)
            raise
        finally:
            over.cancel()
        if not ended.done():
            turns.drop(job)
            raise Stopping()
        try:
            return ended.result()
        except Cancelled as error:  # the Judge was closed
            raise Stopping() from error

    def end(self) -> None:
        """Nothing goes on: who waits is told so."""
        self._over.set()

    def _forget(self, ended: asyncio.Task[Any]) -> None:
        self._charging.discard(ended)
        if not ended.cancelled():
            ended.exception()  # who waited has it

    async def _charge(self, job: Job[T], owner: str, *, charges: bool) -> T:
        """The result, when the owner has been charged for it. What was stopped costs the time for which it ran."""
        try:
            result = await asyncio.wrap_future(job.future)
        except Cancelled:
            if charges and not job.waits:
                await asyncio.to_thread(self._store.spend, owner, job.ran_ns)
            raise
        if charges:
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

    def _on_ended(self, row: Row, job: Job[Any], work: Future[Any]) -> None:
        """Called in a thread of the Judge, before who waits hears of it."""
        with self._lock:
            del self._owners[job]
        error = work.exception()
        for each in _list_failures(error) if error is not None else _list_results(work.result()):
            self._observe(replace(row, kind="judgement") if isinstance(each, Judgement) else row, each, None)


def check_wait(turns: Turns, longest_ns: int | None) -> None:
    """
    Raises:
        Busy: what this party sends now would wait for longer than it may run.
    """
    expected_s = turns.expected_s(call().party)
    if longest_ns is not None and expected_s > longest_ns / SECOND_NS:
        raise Busy(expected_s, longest_ns / SECOND_NS)


def _list_results(result: object) -> list[Judgement | Execution]:
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
            return [one for each in result for one in _list_results(each)]
    return []


def _list_failures(error: BaseException) -> list[Execution]:
    """Our failures; a program that cannot be run at all is its client's."""
    if not isinstance(error, ContainerError):
        return []
    why = f"the sandbox failed: {error}" if isinstance(error, SandboxError) else str(error)
    return [Execution(language=_COMMAND, verdict=Verdict.IE, detail=why)]
