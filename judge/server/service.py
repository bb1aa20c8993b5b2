"""Accepts work, has the Judge do it, and stores what comes of it."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from judge.common.execution import Execution, Program
from judge.common.models import Judgement
from judge.many.pool import Judge
from judge.server.guarding.keys import Caller, Keys
from judge.server.guarding.limits import Full, Rates, Refused, Stopping, check_cpu
from judge.server.observing.audit import call
from judge.server.observing.metrics import Metrics
from judge.server.observing.observed import observe_end
from judge.server.observing.traces import Traces
from judge.server.problem_facts import ProblemFacts
from judge.server.queueing.at_once import AtOnce, check_wait
from judge.server.queueing.rows import LOOK_S, Rows
from judge.server.queueing.slow import Slow
from judge.server.queueing.turns import Turns
from judge.server.queueing.waiters import Waiters
from judge.server.requests import PACKAGE, ExecutionRequest, JudgementRequest
from judge.server.settings import Settings
from judge.server.storing import sweep
from judge.server.storing.cached import CachedFiles
from judge.server.storing.new import New, Request, make_rows
from judge.server.storing.once import Once
from judge.server.storing.packages import Packages
from judge.server.storing.store import Row, Store
from problems.errors import ProblemError, UnknownProblem
from problems.model import SECOND_NS, usual_wall_ns

_log = logging.getLogger(__name__)

T = TypeVar("T")
#: How much more than it has slots a cluster is given at once.
_AHEAD = 64
#: What compiling a program takes at most, where nobody says.
_COMPILE_NS = 10 * SECOND_NS
#: Seconds between two looks at a database where only this one writes, and tells.
_LONG_S = 60.0
#: Seconds between two looks whether what has begun has ended.
_DRAIN_LOOK_S = 0.05


class Gone(Exception):
    """A row that was there is not any more: it was cancelled with its batch, or removed."""


class Service:
    """Opened in the event loop that serves; `close` keeps what is owed for the next start, or for the other servers.

    What is accepted goes to the database only; `rows` claims it from there.
    """

    def __init__(self, settings: Settings, keys: Keys, store: Store, traces: Traces) -> None:
        self.settings = settings
        self.keys = keys
        self.store = store
        self.packages = Packages(store, settings.packages_bytes)
        self.facts = ProblemFacts(settings.judgement_seconds)
        self.files = CachedFiles(settings.files_bytes, settings.files_seconds)
        how: dict[str, Any] = {name: getattr(settings, name) for name in ("slots", "backend", "require")}
        how["memory_bytes"] = settings.memory_budget
        self.judge = Judge(executor=settings.executor, address=settings.address, **how)
        #: Runs what belongs to no problem, on this machine. It starts nothing before there is work.
        self.here = self.judge if settings.executor == "local" else Judge(**how)
        self.metrics = Metrics(self.gauges)
        self.rates = Rates()
        self.traces = traces
        self._observe = partial(observe_end, self.metrics, traces)
        self.slow = Slow()
        self._waiters = Waiters()
        #: Who waits for the Judge, and for that of this machine.
        self._turns = self._turns_here = Turns(self.judge)
        if self.here is not self.judge:
            self._turns = Turns(self.judge, ahead=_AHEAD)
        self._at_once = AtOnce(store, keys, settings.most_waiting, self._check_open, self._observe)
        self._taking_back: set[asyncio.Task[None]] = set()
        #: Nothing more is begun or accepted.
        self._draining = threading.Event()
        #: What had begun has ended, or had to be given up.
        self.drained = False
        self.rows = Rows(
            store,
            self.judge,
            self.here,
            {"judgement": self._turns, "execution": self._turns_here},
            keys,
            self.packages,
            self.facts,
            self._waiters,
            self._observe,
            settings.claim_seconds,
        )
        self._closed = threading.Event()
        self._sweeping: threading.Thread | None = None
        if (days := settings.keep_days) is not None:
            self._sweeping = threading.Thread(target=sweep.keep, args=(store, days, self._closed), name="sweeps")
            self._sweeping.start()

    @property
    def waiting(self) -> int:
        """How much of no batch was accepted, and has no result yet: rows, and what this server runs at once."""
        return self.store.waiting() + self._at_once.count

    @property
    def full(self) -> bool:
        """As much waits as may."""
        return max(self.store.waiting(), self._at_once.count) >= self.settings.most_waiting

    def accept(
        self,
        requests: Sequence[Request],
        caller: Caller,
        notes: Sequence[str] | None = None,
        once: Once | None = None,
    ) -> list[str]:
        """Store requests and queue them, all or none: their ids. With an idempotency key that was sent before, the ids
        of then. Of each a note may be kept.

        Raises:
            Refused: too much waits.
            OtherRequest: the idempotency key was sent with another request.
        """
        if not requests:
            return []
        if once is not None and (known := self.store.find_answer(caller.name, once)) is not None:
            call().add(known[0], (), (request.language for request in requests))
            return known
        self._check_open()
        check_cpu(self.store, caller.name, caller.limits)
        self.check(requests)
        if len(requests) > (most := self.settings.most_waiting):
            raise Refused(f"this server lets {most} wait: send no more than that at once, not {len(requests)}", None)
        if (waiting := self.store.waiting()) + len(requests) > most:
            raise Full(max(1, min(60, waiting // (20 * self.judge.slots))))
        trace = self.traces.carry_context()
        made = make_rows(requests, caller.name, self.rows.judgements, trace=trace, notes=notes)
        ids = self.store.add(made.rows, once, partial(made.check, caller.limits))
        self._add(made, ids[0], known=ids[0] == made.rows[0].id)
        return ids

    def _add(self, made: New, id_: str, *, known: bool = True) -> None:
        """`known`: what was judged before is new here."""
        rows = made.rows
        call().add(id_, (row.problem for row in rows), (row.language or "" for row in rows))
        for row, judgement in made.known if known else ():
            self._observe(row, judgement)
        self.rows.look()

    def check(self, requests: Sequence[Request | Judgement]) -> None:
        """
        Raises:
            ProblemError: one is for a package that was not sent.
            TooLong: one may last longer than this server allows.
        """
        wanted = [request for request in requests if isinstance(request, JudgementRequest)]
        for digest in {request.package for request in wanted}:
            if digest is not None and not self.store.has_package(digest):
                raise UnknownProblem(PACKAGE + digest)
        for one in {(one.problem, one.language, one.options): one for one in wanted}.values():
            with self.packages.using(one.problem), suppress(ProblemError):  # who judges it tells what is wrong with it
                self.facts.check_length(self.packages.problem(one), one.language, one.judge_options())

    def append(self, batch: str, owner: str, after: int, requests: Sequence[Request | Judgement]) -> int | None:
        """Add rows to a batch that has `after` of them: how many it has now; None if it has another number. A Judgement
        is of a row that needs no judging.

        Raises:
            Refused: too much of this owner waits.
        """
        self._check_open()
        limits = self.keys.limits(owner)
        check_cpu(self.store, owner, limits)
        made = make_rows(requests, owner, self.rows.judgements, trace=self.traces.carry_context(), batch=batch)
        count = self.store.append(batch, after, made.rows, partial(made.check, limits))
        self._add(made, batch, known=count is not None)
        return count

    async def admit(self) -> None:
        """Raises Refused, unless something may be begun by `run` now: for what goes there in parts."""
        await self._at_once.admit(self.judge.slots)

    async def run(
        self,
        begin: Callable[[Judge], Future[T]],
        *,
        longest_ns: int | None = None,
        here: bool = True,
        taken: bool = False,
        repeats: bool = True,
    ) -> T:
        """Have the Judge do at once what nobody stores: it is forgotten if this server ends, and stopped if its client
        leaves. `here`: on this machine, whoever judges. The others: as of `AtOnce.run`.

        Raises:
            Refused: too much waits.
        """
        judge, turns = (self.here, self._turns_here) if here else (self.judge, self._turns)
        return await self._at_once.run(
            lambda: begin(judge),
            turns,
            judge.slots,
            self.traces.carry_context(),
            longest_ns=longest_ns,
            taken=taken,
            repeats=repeats,
        )

    async def execute(self, program: Program, *, taken: bool = False) -> Execution:
        """Run a program that belongs to no problem on this machine, and wait for what it did. `taken`: as of `run`.

        Raises:
            Refused: too much waits.
            ConfigError, LanguageError, Unavailable: as `Judge.execute`.
        """
        return await self.run(lambda judge: judge.submit_program(program), longest_ns=longest_ns(program), taken=taken)

    async def take(
        self, requests: Sequence[Request], caller: Caller, once: Once | None = None, notes: Sequence[str] | None = None
    ) -> list[str]:
        """As `accept`, for a client that waits. If it leaves before it has the ids, what it sent is not judged: nobody
        could ask for it."""
        async with self._taking(requests, caller, once, notes) as ids:
            return ids

    async def answer(
        self,
        request: Request,
        caller: Caller,
        seconds: float,
        once: Once | None = None,
        note: str | None = None,
    ) -> Row:
        """`take` one, and `wait` for it."""
        notes = None if note is None else [note]
        async with self._taking([request], caller, once, notes) as (id_,):
            return await self.wait(id_, seconds)

    @asynccontextmanager
    async def _taking(
        self,
        requests: Sequence[Request],
        caller: Caller,
        once: Once | None,
        notes: Sequence[str] | None,
    ) -> AsyncIterator[list[str]]:
        """A context in which the client may leave: then what it sent is taken back, unless it can ask for it with its
        idempotency key."""
        accepting = asyncio.create_task(asyncio.to_thread(self.accept, requests, caller, notes, once))
        try:
            yield await asyncio.shield(accepting)
        except asyncio.CancelledError:
            if once is None:
                task = asyncio.create_task(self._take_back(accepting))
                self._taking_back.add(task)
                task.add_done_callback(self._taking_back.discard)
            raise

    async def _take_back(self, accepting: asyncio.Task[list[str]]) -> None:
        try:
            for id_ in await accepting:
                if (row := await asyncio.to_thread(self.store.get, id_)) is not None:
                    await asyncio.to_thread(self.rows.drop, row)
        except (Refused, ProblemError):
            return  # nothing was accepted
        except SQLAlchemyError as error:
            _log.error("what a client sent that has left is judged: %s", str(error).splitlines()[0])

    def check_wait(self, request: Request) -> None:
        """For a client that waits until there is a result.

        Raises:
            Busy: it would wait for longer than its program may run.
        """
        if isinstance(request, ExecutionRequest):
            check_wait(self._turns_here, longest_ns(request.program()))

    async def looks(self, row: Row, seconds: float) -> AsyncIterator[Row]:
        """The row of an accepted request, and again after each so many seconds, until it has a result or this server
        ends. Raises Gone as `wait` does."""
        yield row
        while row.result is None and not self.drained:
            row = await self.wait(row.id, seconds)
            yield row

    async def wait(self, id_: str, seconds: float = math.inf) -> Row:
        """The row of an accepted request, when it has a result, after so many seconds, or when this server ends.

        Raises:
            Gone: there is no such row any more.
        """
        until = time.monotonic() + seconds
        with self._waiters.waiting(id_) as event:
            while True:
                event.clear()
                row = await asyncio.to_thread(self.store.get, id_)
                if row is None:
                    raise Gone()
                left = until - time.monotonic()
                if row.result is not None or left <= 0 or self.drained:
                    return row
                with suppress(TimeoutError):
                    look_s = LOOK_S if self.store.shared else _LONG_S
                    await asyncio.wait_for(event.wait(), min(left, look_s))

    def cancel_batch(self, id_: str) -> int:
        """Take out the rows of a batch that nobody has begun to judge: how many. Who waits for one hears of it."""
        count = self.store.cancel_batch(id_)
        if not self.draining and (taken_out := self.rows.take_out(id_)):
            count += self.store.cancel_batch(id_, taken_out)
        self._waiters.tell_all()
        return count

    @property
    def draining(self) -> bool:
        """It was asked to end: it accepts and begins nothing more."""
        return self._draining.is_set()

    def _check_open(self) -> None:
        if self._draining.is_set():
            raise Stopping()

    async def drain(self, seconds: float) -> None:
        """Give back what has not begun, and wait for what has, for so many seconds at most."""
        self._draining.set()
        for turns in {self._turns, self._turns_here}:
            turns.end_waiting()
        await asyncio.to_thread(self.rows.stop_claiming)
        for turns in {self._turns, self._turns_here}:
            turns.end_waiting()  # what was claimed last
        until = time.monotonic() + seconds
        try:
            while (self.rows.count or self._at_once.count) and time.monotonic() < until:
                await asyncio.sleep(_DRAIN_LOOK_S)
        finally:  # a second signal cuts it short
            self.drained = True
            self._at_once.end()
            self._waiters.tell_all()

    def close(self) -> None:
        self._draining.set()
        self._closed.set()
        self.rows.end_threads()
        if self._sweeping is not None:
            self._sweeping.join()
        self.judge.close()
        self.here.close()
        for turns in {self._turns, self._turns_here}:
            turns.close()
        self.rows.close()
        self.packages.close()
        with suppress(SQLAlchemyError):  # then others take over when the claims have run out
            self.store.release()
        self.store.close()
        self.traces.close()

    def gauges(self) -> dict[str, float]:
        """How much there is now of what Prometheus is told."""
        waiting, rows = self.store.count_owed()
        begun, now = self.rows.count, self._at_once.count
        values = {"slots": self.judge.slots, "begun": begun + now, "waiting": waiting + now, "waiting_rows": rows}
        values["at_once"] = now
        return {f"judge_{name}": value for name, value in values.items()}


def longest_ns(program: Program) -> int:
    """How long its compile and its runs may take together."""
    compile_ns = program.compile_cpu_ns or _COMPILE_NS
    return compile_ns + program.runs * (program.wall_ns or usual_wall_ns(program.cpu_ns))
