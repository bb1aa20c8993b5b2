"""Accepts work, has the Judge do it, and stores what comes of it."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from judge.common.errors import Cancelled
from judge.common.execution import Execution, Program
from judge.common.models import Judgement, Verdict
from judge.judging.engine import failed
from judge.many.pool import Judge
from judge.server.guarding.keys import Caller, Keys
from judge.server.guarding.limits import Full, Rates, Refused, Stopping, check_cpu, spent_ns
from judge.server.guarding.longest import Longest
from judge.server.observing import observed
from judge.server.observing.audit import call
from judge.server.observing.live import Live
from judge.server.observing.metrics import Metrics
from judge.server.observing.minutes import Minutes
from judge.server.observing.traces import Traces
from judge.server.queueing.at_once import AtOnce
from judge.server.queueing.waiters import Waiters
from judge.server.requests import ACCEPTED, PACKAGE, ExecutionRequest, JudgementRequest
from judge.server.settings import Settings
from judge.server.storing import sweep
from judge.server.storing.cached import CachedFiles
from judge.server.storing.new import New, Request, new
from judge.server.storing.once import Once
from judge.server.storing.packages import Packages
from judge.server.storing.results import Results
from judge.server.storing.shown import WHOLE
from judge.server.storing.store import Kind, Result, Row, Store
from judge.server.storing.texts import Texts
from problems.errors import ProblemError, UnknownProblem

_log = logging.getLogger(__name__)

T = TypeVar("T")
#: How much the Judge has before it at least: what it has judged before takes it microseconds.
_LEAST_BEGUN = 64
#: Seconds between two looks at a database that other servers write, too.
_LOOK_S = 0.2
#: The same where only this one writes, and tells.
_LONG_S = 60.0
#: Seconds between two looks whether what has begun has ended.
_DRAIN_LOOK_S = 0.05
_REQUESTS: dict[Kind, type[JudgementRequest] | type[ExecutionRequest]] = {
    "judgement": JudgementRequest,
    "execution": ExecutionRequest,
}


class Gone(Exception):
    """A row that was there is not any more: it was cancelled with its batch, or removed."""


class Service:
    """Opened in the event loop that serves; `close` keeps what is owed for the next start, or for the other servers.

    What is accepted goes to the database only. One thread claims from there as much as the Judge should have before it.
    """

    def __init__(self, settings: Settings, keys: Keys, store: Store, traces: Traces) -> None:
        self.settings = settings
        self.keys = keys
        self.store = store
        self.packages = Packages(store, settings.packages_bytes)
        self.longest = Longest(settings.judgement_seconds)
        self.files = CachedFiles(settings.files_bytes, settings.files_seconds)
        how: dict[str, Any] = {name: getattr(settings, name) for name in ("slots", "backend", "require")}
        how["memory_bytes"] = settings.memory_budget
        self.judge = Judge(executor=settings.executor, address=settings.address, **how)
        #: Runs what belongs to no problem, on this machine. It starts nothing before there is work.
        self.here = self.judge if settings.executor == "local" else Judge(**how)
        self.metrics = Metrics(self.gauges)
        self.minutes = Minutes()
        self.rates = Rates()
        self.traces = traces
        self._lock = threading.Lock()
        self._waiters = Waiters()
        self._work: dict[str, Future[Judgement] | Future[Execution]] = {}
        self._at_once = AtOnce(store, keys, settings.most_waiting, self._check_open, self._observe)
        self._live: dict[str, Live] = {}
        self._closed = threading.Event()
        #: Nothing more is begun or accepted.
        self._draining = threading.Event()
        #: What had begun has ended, or had to be given up.
        self.drained = False
        #: Something was accepted, or has ended.
        self._news = threading.Event()
        self._texts = Texts(self.judge, self.packages)
        self._results = Results(store, self._stored)
        self._threads = [threading.Thread(target=self._claim, name="claims")]
        if self.store.shared:
            self._threads.append(threading.Thread(target=self._renew, name="claims are renewed"))
        if (days := settings.keep_days) is not None:
            self._threads.append(threading.Thread(target=sweep.keep, args=(store, days, self._closed), name="sweeps"))
        for thread in self._threads:
            thread.start()

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
        if once is not None and (known := self.store.answered(caller.name, once)) is not None:
            call().add(known[0], (), (request.language for request in requests))
            return known
        self._check_open()
        check_cpu(self.store, caller.name, caller.limits)
        self.check(requests)
        if len(requests) > (most := self.settings.most_waiting):
            raise Refused(f"this server lets {most} wait: send no more than that at once, not {len(requests)}", None)
        if (waiting := self.store.waiting()) + len(requests) > most:
            raise Full(max(1, min(60, waiting // (20 * self.judge.slots))))
        made = new(requests, caller.name, self._texts, trace=self.traces.carried(), notes=notes)
        ids = self.store.add(made.rows, once, made.check(caller.name, caller.limits))
        self._added(made, ids[0], known=ids[0] == made.rows[0].id)
        return ids

    def _added(self, made: New, id_: str, *, known: bool = True) -> None:
        """`known`: what was judged before is new here."""
        rows = made.rows
        call().add(id_, (row.problem for row in rows), (row.language or "" for row in rows))
        for row, judgement in made.known if known else ():
            self._observe(row, judgement)
        self._news.set()

    def _observe(self, row: Row, result: Judgement | Execution) -> None:
        observed.ended(row, result, self.live(row.id), self.metrics, self.traces)
        self.minutes.count(_verdict(result))

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
        lasting = {
            (one.problem, one.language, one.options.cpu_ns, one.options.language_multiplier): one for one in wanted
        }
        for one in lasting.values():
            with self.packages.using(one.problem), suppress(ProblemError):  # who judges it tells what is wrong with it
                self.longest.check(self._problem(one), one.language, one.judge_options())

    def append(self, batch: str, owner: str, after: int, requests: Sequence[Request | Judgement]) -> int | None:
        """Add rows to a batch that has `after` of them: how many it has now; None if it has another number. A Judgement
        is of a row that needs no judging.

        Raises:
            Refused: too much of this owner waits.
        """
        self._check_open()
        check_cpu(self.store, owner, self.keys.limits(owner))
        made = new(requests, owner, self._texts, trace=self.traces.carried(), batch=batch)
        count = self.store.append(batch, after, made.rows, made.check(owner, self.keys.limits(owner)))
        self._added(made, batch, known=count is not None)
        return count

    async def admit(self) -> None:
        """Raises Refused, unless something may be begun by `run` now: for what goes there in parts."""
        await self._at_once.admit(self.judge.slots)

    async def run(self, begin: Callable[[], Future[T]], *, taken: bool = False) -> T:
        """Have the Judge do at once what nobody stores: it is forgotten if this server ends. `taken`: it is a part of
        what was admitted before, and waits until there is room.

        Raises:
            Refused: too much waits.
        """
        return await self._at_once.run(begin, self.judge.slots, self.traces.carried(), taken=taken)

    async def execute(self, program: Program, *, taken: bool = False) -> Execution:
        """As `Judge.execute`. `taken`: as of `run`. Raises Refused, too."""
        return await self.run(lambda: self.here.submit_program(program), taken=taken)

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
                    look_s = _LOOK_S if self.store.shared else _LONG_S
                    await asyncio.wait_for(event.wait(), min(left, look_s))

    def live(self, id_: str) -> Live | None:
        """What is known of a judgement that this server makes now; None: it makes no such one."""
        with self._lock:
            return self._live.get(id_)

    def begun(self, id_: str) -> bool:
        """Whether this server runs it now. (What others run, they know.)"""
        with self._lock:
            work = self._work.get(id_)
        return work is not None and not work.cancelled() and (work.running() or work.done())

    def cancel(self, row: Row) -> bool:
        """Take it out of the queue, unless it has begun: whether it was taken out."""
        with self._lock:
            work = self._work.get(row.id)
        if work is not None:
            return not self.draining and work.cancel()
        request = _REQUESTS[row.kind].model_validate_json(row.request, context=ACCEPTED)
        result = _cancelled(request)
        text = result.to_json()
        cancelled = self.store.cancel(Result(row=row, text=text, samples=WHOLE, verdict=_verdict(result)))
        self._waiters.tell(row.id)
        return cancelled

    def cancel_batch(self, id_: str) -> int:
        """Take out the rows of a batch that nobody has begun to judge: how many. Who waits for one hears of it."""
        count = self.store.cancel_batch(id_)
        self._waiters.tell_all()
        return count

    @property
    def draining(self) -> bool:
        """It was asked to end: it accepts and begins nothing more."""
        return self._draining.is_set()

    def _check_open(self) -> None:
        if self.draining:
            raise Stopping()

    async def drain(self, seconds: float) -> None:
        """Give back what has not begun, and wait for what has, for so many seconds at most."""
        self._draining.set()
        self._news.set()
        await asyncio.to_thread(self._threads[0].join)  # what it was about to begin has begun
        with self._lock:
            work = tuple(self._work.values())
        for each in work:
            each.cancel()  # in vain for what has begun
        until = time.monotonic() + seconds
        try:
            while (self._work or self._at_once.count) and time.monotonic() < until:
                await asyncio.sleep(_DRAIN_LOOK_S)
        finally:  # a second signal cuts it short
            self.drained = True
            self._waiters.tell_all()

    def close(self) -> None:
        self._draining.set()
        self._closed.set()
        self._news.set()
        for thread in self._threads:
            thread.join()
        self.judge.close()
        self.here.close()
        self._results.close()
        self.packages.close()
        with suppress(SQLAlchemyError):  # then others take over when the claims have run out
            self.store.release()
        self.store.close()
        self.traces.close()

    def gauges(self) -> dict[str, float]:
        """How much there is now of what Prometheus is told."""
        waiting, rows = self.store.owed()
        with self._lock:
            begun = len(self._work)
        now = self._at_once.count
        values = {"slots": self.judge.slots, "begun": begun + now, "waiting": waiting + now, "waiting_rows": rows}
        values["at_once"] = now
        return {f"judge_{name}": value for name, value in values.items()}

    def _claim(self) -> None:
        """A thread: keeps the Judge busy."""
        while not self.draining:
            self._news.clear()
            if self.draining:  # it was told before the news were cleared
                return
            try:
                with self._lock:
                    window = max(_LEAST_BEGUN, 8 * self.judge.slots)  # nodes of a cluster come and go
                    room = window - len(self._work)
                rows = self.store.claim(room, self.settings.claim_seconds) if room > window // 2 else []
            except SQLAlchemyError as error:
                _log.error("the database does not answer: %s", str(error).splitlines()[0])
                self._closed.wait(_LOOK_S)
                continue
            for row in rows:
                self._begin(row)
            if not rows or len(rows) < room:
                self._news.wait(_LOOK_S if self.store.shared else None)

    def _renew(self) -> None:
        """A thread: holds what was claimed."""
        while not self._closed.wait(self.settings.claim_seconds / 3):
            try:
                self.store.renew(self.settings.claim_seconds)
            except SQLAlchemyError as error:
                _log.error("claims cannot be renewed: %s", str(error).splitlines()[0])

    def _begin(self, row: Row) -> None:
        request = _REQUESTS[row.kind].model_validate_json(row.request, context=ACCEPTED)
        work: Future[Judgement] | Future[Execution]
        live, known = Live(), None
        self.packages.begin(row.problem)
        try:
            if isinstance(request, JudgementRequest) and (known := self._texts.known(request)) is not None:
                work = Future[Judgement]()
                work.set_result(known.judgement)
            elif isinstance(request, JudgementRequest):
                work = self.judge.submit(request.submission(self._problem(request)), request.judge_options(), live)
            else:
                work = self.here.submit_program(request.program())
        except Exception as error:
            work = Future()
            work.set_exception(error)
        with self._lock:
            self._work[row.id] = work
            self._live[row.id] = live
        if known is not None:
            self._observe(row, known.judgement)
            text, verdict = known.with_id(request.id), _verdict(known.judgement)
            self._results.put(Result(row=row, text=text, samples=known.samples, verdict=verdict))
            return
        work.add_done_callback(lambda done: self._ended(row, request, done))

    def _ended(self, row: Row, request: Request, work: Future[Judgement] | Future[Execution]) -> None:
        """Called in a thread of the Judge."""
        try:
            given_back = self._closed.is_set() or (work.cancelled() and self.draining)
            result = None if given_back else self._result(request, work)
            if result is not None:
                self._observe(row, result)
                text, samples = self._texts.of(result, self._readable(request))
                spent = spent_ns(result) if self.keys.limits(row.owner).of_cpu else 0
                one = Result(row=row, text=text, samples=samples, verdict=_verdict(result), spent_ns=spent)
                self._results.put(one)
                return
        except Exception:
            _log.exception("what came of %s could not be stored; it is judged again at the next start", row.id)
        self._over(row)

    def _stored(self, result: Result) -> None:
        self._over(result.row)

    def _over(self, row: Row) -> None:
        """The Judge has a place more, and who waits for the row looks at it."""
        with self._lock:
            self._work.pop(row.id, None)
            self._live.pop(row.id, None)
        self.packages.end(row.problem)
        self._news.set()
        self._waiters.tell(row.id)

    @staticmethod
    def _result(request: Request, work: Future[Judgement] | Future[Execution]) -> Judgement | Execution | None:
        """None: the Judge was closed, and the row is owed at the next start."""
        if work.cancelled():
            return _cancelled(request)
        if (error := work.exception()) is not None:
            return None if isinstance(error, Cancelled) else _lost(request, str(error))
        return work.result()

    def _problem(self, request: JudgementRequest) -> str | Path:
        return request.problem if request.package is None else self.packages.path(request.package)

    def _readable(self, request: Request) -> str | Path | None:
        try:
            return self._problem(request) if isinstance(request, JudgementRequest) else None
        except ProblemError:
            return None


def _verdict(result: Judgement | Execution) -> str | None:
    return None if result.verdict is None else result.verdict.value


def _lost(request: Request, why: str) -> Judgement | Execution:
    if isinstance(request, JudgementRequest):
        return failed(request.submission(request.problem), why)
    return Execution(id=request.id, language=request.language, verdict=Verdict.IE, detail=why)


def _cancelled(request: Request) -> Judgement | Execution:
    return _lost(request, "cancelled by its client")
