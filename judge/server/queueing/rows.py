"""Has the Judge do what was accepted and stored, and stores what comes of it.

database ──claimed, a window for each party──► Turns ──► the Judge ──► Results ──► database
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from judge.common.errors import Cancelled
from judge.common.execution import Execution
from judge.common.models import Judgement, Verdict, make_internal_error
from judge.many.pool import Judge
from judge.server.guarding.keys import Keys
from judge.server.guarding.limits import spent_ns
from judge.server.observing.live import Live
from judge.server.observing.observed import Observe
from judge.server.problem_facts import ProblemFacts
from judge.server.queueing.turns import Job, Turns
from judge.server.queueing.waiters import Waiters
from judge.server.requests import JudgementRequest
from judge.server.storing.new import KnownJudgements, Request, read_request
from judge.server.storing.packages import Packages
from judge.server.storing.results import Results
from judge.server.storing.shown import WHOLE, encode_names
from judge.server.storing.store import Kind, Result, Row, Store

_log = logging.getLogger(__name__)

#: How many rows of a party are claimed where few have some: what was judged before takes microseconds.
_CLAIMED = 64
#: How many rows are claimed of all together, as long as each party has `_LEAST_CLAIMED`: nobody waits until another
#: party has no rows any more.
_ALL_CLAIMED = 64 * _CLAIMED
_LEAST_CLAIMED = 2
#: Seconds between two looks at a database that other servers write, too.
LOOK_S = 0.2


@dataclass(slots=True, kw_only=True, eq=False)
class _Flight:
    """One job, for all rows that ask for the same at the same time: retries of a client do not multiply."""

    #: What they ask for: party, kind, request.
    key: tuple[str, Kind, str]
    request: Request
    live: Live
    #: Where the problem is found; None: nobody looked for it yet, or it is no judgement.
    problem: str | Path | None = None
    rows: list[Row] = field(default_factory=list)
    job: Job[Any] | None = None
    #: The clients of all of them have left.
    unwanted: bool = False


class Rows:
    """Thread-safe. One thread claims as many rows as should wait for the Judge."""

    def __init__(
        self,
        store: Store,
        judge: Judge,
        here: Judge,
        turns: Mapping[Kind, Turns],
        keys: Keys,
        packages: Packages,
        facts: ProblemFacts,
        waiters: Waiters,
        observe: Observe,
        claim_s: float,
    ) -> None:
        """`judge` judges, and `here` runs what belongs to no problem; `turns` are the lines before them. `claim_s`: how
        long a claim holds."""
        self._store, self._judge, self._here, self._turns = store, judge, here, turns
        self._keys, self._packages, self._waiters = keys, packages, waiters
        self._facts, self._observe, self._claim_s = facts, observe, claim_s
        self.judgements = KnownJudgements(judge, packages, facts)
        self._results = Results(store, lambda result: self._over(result.row))
        self._lock = threading.Lock()
        #: Of each row that was claimed and has no result, by its id.
        self._begun: dict[str, _Flight] = {}
        self._flights: dict[tuple[str, Kind, str], _Flight] = {}
        #: How many rows of each party were claimed.
        self._claimed = Counter[str]()
        #: Nothing more is begun; and: all has ended, or must.
        self._draining, self._closed = threading.Event(), threading.Event()
        #: Something was accepted, or has ended.
        self._news = threading.Event()
        self._claiming = threading.Thread(target=self._claim_all, name="claims")
        self._threads = [self._claiming]
        if store.shared:
            self._threads.append(threading.Thread(target=self._renew, name="claims are renewed"))
        for thread in self._threads:
            thread.start()

    @property
    def count(self) -> int:
        """How many were claimed, and have no result."""
        return len(self._begun)

    def look(self) -> None:
        """Rows were stored."""
        self._news.set()

    def live(self, id_: str) -> Live | None:
        """What is known of a judgement that this server makes now; None: it makes no such one."""
        with self._lock:
            flight = self._begun.get(id_)
        return None if flight is None else flight.live

    def has_begun(self, id_: str) -> bool:
        """Whether this server runs it now. (What others run, they know.)"""
        with self._lock:
            flight = self._begun.get(id_)
        return flight is not None and (flight.job is None or not flight.job.waits)

    def cancel(self, row: Row) -> bool:
        """Take it out of the queue, unless it has begun: whether it was taken out."""
        with self._lock:
            claimed = row.id in self._begun
        if claimed:
            return not self._draining.is_set() and self._give_up(row, only_waiting=True)
        result = _make_cancelled(read_request(row))
        stored = self._store.cancel(Result(row=row, text=result.to_json(), samples=WHOLE, verdict=verdict_of(result)))
        self._waiters.tell(row.id)
        return stored

    def drop(self, row: Row) -> None:
        """Its client has left: it is not judged, or no longer."""
        if row.result is None and not self.cancel(row):
            self._give_up(row, only_waiting=False)

    def _give_up(self, row: Row, *, only_waiting: bool) -> bool:
        """End the row's part in its job, and the job if it is the last: whether that was done."""
        with self._lock:
            flight = self._begun.get(row.id)
            if flight is None or flight.job is None:
                return False
            others = [one for one in flight.rows if one.id != row.id]
            if only_waiting and not others and not flight.job.waits:
                return False
            if others:
                flight.rows = others
            else:
                flight.unwanted = True
                self._close(flight)
        if others:
            self._put(flight, row, _make_cancelled(flight.request), charged=False)
            return True
        if not only_waiting:
            self._turns[row.kind].drop(flight.job)
            return True
        taken_out = self._turns[row.kind].cancel(flight.job)
        with self._lock:
            flight.unwanted = taken_out
        return taken_out

    def take_out(self, batch: str) -> list[str]:
        """Rows of a batch that were claimed, and wait: this server begins them no more, and they are owed."""
        taken: list[str] = []
        with self._lock:
            flights = {id(flight): flight for flight in self._begun.values()}
        for flight in flights.values():
            with self._lock:
                mine = [row for row in flight.rows if row.batch == batch]
                if flight.job is None or not flight.job.waits:
                    continue
                others = [row for row in flight.rows if row.batch != batch]
                if others:
                    flight.rows = others
                else:
                    self._close(flight)
            if others:
                for row in mine:
                    self._over(row)
            elif not self._turns[flight.key[1]].cancel(flight.job):
                continue  # it has begun just now
            taken += (row.id for row in mine)
        return taken

    def stop_claiming(self) -> None:
        """Claim nothing more."""
        self._draining.set()
        self._news.set()
        self._claiming.join()  # what it was about to begin is in line

    def end_threads(self) -> None:
        """Call it before the Judge is closed: what ends from now on is given back."""
        self._draining.set()
        self._closed.set()
        self._news.set()
        for thread in self._threads:
            thread.join()

    def close(self) -> None:
        """Call it after the Judge was closed."""
        self._results.close()

    def _claim_all(self) -> None:
        """A thread: keeps the Judge busy."""
        while not self._draining.is_set():
            self._news.clear()
            if self._draining.is_set():  # it was told before the news were cleared
                return
            try:
                more = self._claim()
            except SQLAlchemyError as error:
                _log.error("the database does not answer: %s", str(error).splitlines()[0])
                self._closed.wait(LOOK_S)
                continue
            if not more:
                self._news.wait(LOOK_S if self._store.shared else None)

    def _claim(self) -> bool:
        """Claim and begin rows of each party that has few before the Judge; False: there are no more."""
        many, more = 8 * self._judge.slots, False  # nodes of a cluster come and go
        parties = self._store.parties()
        share = max(_ALL_CLAIMED, many) // max(1, len(parties))
        window = min(max(_CLAIMED, many), max(_LEAST_CLAIMED, share))
        with self._lock:
            claimed = dict(self._claimed)
        for party in parties:
            room = window - claimed.get(party, 0)
            if room <= window // 2:
                continue
            rows = self._store.claim(party, room, self._claim_s)
            more |= len(rows) == room
            for row in rows:
                self._begin(row)
        return more

    def _renew(self) -> None:
        """A thread: holds what was claimed."""
        while not self._closed.wait(self._claim_s / 3):
            try:
                self._store.renew(self._claim_s)
            except SQLAlchemyError as error:
                _log.error("claims cannot be renewed: %s", str(error).splitlines()[0])

    def _begin(self, row: Row) -> None:
        request = read_request(row)
        key = (row.party, row.kind, row.request)
        self._packages.begin_use(row.problem)
        known = self.judgements.find(request) if isinstance(request, JudgementRequest) else None
        with self._lock:
            self._claimed[row.party] += 1
            joined = None if known is not None else self._flights.get(key)
            flight = joined or _Flight(key=key, request=request, live=Live())
            flight.rows.append(row)
            self._begun[row.id] = flight
            if known is None:
                self._flights[key] = flight
        if known is not None:
            self._observe(row, known.judgement, flight.live)
            text, verdict = known.with_id(request.id), verdict_of(known.judgement)
            self._results.put(Result(row=row, text=text, samples=known.samples, verdict=verdict))
        elif joined is None:
            flight.job = self._turns[row.kind].submit(row.party, lambda: self._hand_over(flight))
            flight.job.future.add_done_callback(lambda work: self._on_ended(flight, work))

    def _hand_over(self, flight: _Flight) -> Future[Any]:
        request = flight.request
        if isinstance(request, JudgementRequest):
            flight.problem = self._packages.problem(request)
            return self._judge.submit(request.submission(flight.problem), request.judge_options(), flight.live)
        return self._here.submit_program(request.program())

    def _on_ended(self, flight: _Flight, work: Future[Any]) -> None:
        """Called in a thread of the Judge."""
        with self._lock:
            self._close(flight)
            rows = tuple(flight.rows)
        for number, row in enumerate(rows):
            try:
                result = None if self._closed.is_set() else _result(flight, work)
                if result is not None:
                    self._put(flight, row, result, charged=number == 0)
                    continue
            except Exception:
                _log.exception("what came of %s could not be stored; it is judged again at the next start", row.id)
            self._over(row)

    def _close(self, flight: _Flight) -> None:
        """No more rows join it. Call with the lock."""
        if self._flights.get(flight.key) is flight:
            del self._flights[flight.key]

    def _put(self, flight: _Flight, row: Row, result: Judgement | Execution, *, charged: bool) -> None:
        """`charged`: the row's owner is, for the job; other rows get the same for nothing."""
        self._observe(row, result, flight.live)
        spent = 0
        if charged and flight.job is not None and self._keys.limits(row.owner).of_cpu:
            spent = flight.job.ran_ns if flight.unwanted else spent_ns(result)
        if isinstance(flight.request, JudgementRequest):
            samples = encode_names(()) if flight.problem is None else self._facts.read_samples(flight.problem)
        else:
            samples = WHOLE
        verdict = verdict_of(result)
        self._results.put(Result(row=row, text=result.to_json(), samples=samples, verdict=verdict, spent_ns=spent))

    def _over(self, row: Row) -> None:
        """The Judge has a place more, and who waits for the row looks at it."""
        with self._lock:
            if self._begun.pop(row.id, None) is not None:
                self._claimed[row.party] -= 1
                if not self._claimed[row.party]:
                    del self._claimed[row.party]
        self._packages.end_use(row.problem)
        self._news.set()
        self._waiters.tell(row.id)


def verdict_of(result: Judgement | Execution) -> str | None:
    return None if result.verdict is None else result.verdict.value


def _result(flight: _Flight, work: Future[Any]) -> Judgement | Execution | None:
    """None: it was stopped or taken out for our sake, and the row is owed."""
    error = work.exception()
    if isinstance(error, Cancelled):
        return _make_cancelled(flight.request) if flight.unwanted else None
    if error is not None:
        return _make_failure(flight.request, str(error))
    result: Judgement | Execution = work.result()
    return result


def _make_failure(request: Request, why: str) -> Judgement | Execution:
    if isinstance(request, JudgementRequest):
        return make_internal_error(request.submission(request.problem), why)
    return Execution(id=request.id, language=request.language, verdict=Verdict.IE, detail=why)


def _make_cancelled(request: Request) -> Judgement | Execution:
    return _make_failure(request, "cancelled by its client")
