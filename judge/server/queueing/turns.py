"""Who is next: the parties that have work for a Judge take turns.

    submit ──► a line for each party ──► the party that has the least running ──► the Judge
                                              as many at once as the Judge has places

A party is an API key or, where none is asked for, an address. Nobody holds the Judge:

- While another party is there, a party leaves one place free (if there are two), so that the other need not wait for
  its long runs.
- If a party with nothing running finds all places taken, the youngest run of a party that has more than its share
  gives way: it is stopped, and begins anew later. That happens to a run once.
- Work whose client has left is taken out of its line, or stopped.
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Any, Generic, TypeVar

from judge.common.errors import Cancelled
from judge.many.pool import Judge

T = TypeVar("T")
#: Seconds between two stops: one that comes just before a run begins is lost.
_STOP_S = 0.02
#: Seconds for which a party without work counts as there, and for which we remember how long its work takes.
_THERE_S, _KEPT_S = 5.0, 600.0
#: Beyond `_REMEMBERED` parties those are forgotten that have not been there for `_KEPT_S`.
_REMEMBERED = 1000
#: Weight of the last run's time in the expected time.
_NEWS = 0.25


def _make_future() -> Future[Any]:
    """One that nobody can cancel."""
    future = Future[Any]()
    future.set_running_or_notify_cancel()
    return future


@dataclass(slots=True, kw_only=True, eq=False)
class Job(Generic[T]):
    """Work of one party. It has ended when `future` is done, which nobody else may cancel."""

    party: str
    #: Hands it to the Judge.
    begin: Callable[[], Future[T]]
    #: It may be stopped for another party's sake, and begun again. That happens once.
    repeats: bool
    future: Future[T] = field(default_factory=_make_future)
    #: What the Judge has given for it; None: it waits.
    work: Future[T] | None = None
    begun_s: float | None = None
    #: Nobody wants its result.
    dropped: bool = False
    #: It is being stopped for another party's sake.
    gives_way: bool = False

    @property
    def waits(self) -> bool:
        return self.begun_s is None

    @property
    def ran_ns(self) -> int:
        """For how long it has been running, at least."""
        return 0 if self.begun_s is None else int((monotonic() - self.begun_s) * 1e9)


@dataclass(slots=True, kw_only=True)
class _Party:
    line: deque[Job[Any]] = field(default_factory=deque)
    running: list[Job[Any]] = field(default_factory=list)
    #: When it last had work, and how many-th it was served.
    seen_s: float = 0.0
    served: int = 0
    #: How long its work takes; None: not known yet.
    mean_s: float | None = None

    @property
    def has_work(self) -> bool:
        return bool(self.line or self.running)


class Turns:
    """The lines before one Judge. Thread-safe: no lock is held while the Judge or a future is called."""

    def __init__(self, judge: Judge, *, ahead: int = 0) -> None:
        """`ahead`: how much more than it has slots the Judge is given at once, because it is on other machines. There
        no run gives way."""
        self._judge, self._ahead = judge, ahead
        self._lock = threading.Lock()
        self._parties: dict[str, _Party] = {}
        self._numbers = itertools.count(1)
        self._stopping: set[Job[Any]] = set()
        #: A thread begins what may begin; and how often that was asked for.
        self._pumping, self._asked = False, 0
        self._wake = threading.Event()
        self._closed = False
        self._thread = threading.Thread(target=self._stop_all, name="stops")
        self._thread.start()

    def submit(self, party: str, begin: Callable[[], Future[T]], *, repeats: bool = True) -> Job[T]:
        """Put work in line. `begin` hands it to the Judge. `repeats`: it may be begun again, as nothing of it was told
        to anybody."""
        job = Job(party=party, begin=begin, repeats=repeats)
        with self._lock:
            mine = self._party(party)
            mine.line.append(job)
            mine.seen_s = monotonic()
        self._pump()
        return job

    def drop(self, job: Job[Any]) -> None:
        """Nobody wants its result any more: its future raises Cancelled as soon as it runs no more."""
        if not self._take_out(job, dropped=True):
            self._stop(job)

    def cancel(self, job: Job[Any]) -> bool:
        """As `drop`, but only if it waits: whether it did."""
        return self._take_out(job)

    def end_waiting(self) -> None:
        """Take out all that waits: their futures raise Cancelled."""
        with self._lock:
            waiting = [job for party in self._parties.values() for job in party.line]
            for party in self._parties.values():
                party.line.clear()
        for job in waiting:
            job.future.set_exception(Cancelled())

    def expected_s(self, party: str) -> float:
        """How long work of a party that comes now will probably wait. What nobody knows yet counts as nothing."""
        places = self._judge.slots + self._ahead
        with self._lock:
            mine = self._parties.get(party)
            if mine is None or not mine.has_work:
                return 0.0
            running = sum(len(each.running) for each in self._parties.values())
            if not mine.line and running < places:
                return 0.0
            share = places / sum(each.has_work for each in self._parties.values())
            ages = [job.ran_ns / 1e9 for job in mine.running]
            mean_s = max(mine.mean_s or 0.0, sum(ages) / len(ages) if ages else 0.0)
            return (len(mine.line) + 1) * mean_s / share

    def close(self) -> None:
        """Call it after the Judge was closed."""
        self.end_waiting()
        self._closed = True
        self._wake.set()
        self._thread.join()

    def _party(self, name: str) -> _Party:
        """Call with the lock."""
        if name not in self._parties and len(self._parties) >= _REMEMBERED:
            long_ago = monotonic() - _KEPT_S
            gone = [key for key, each in self._parties.items() if not each.has_work and each.seen_s < long_ago]
            for key in gone:
                del self._parties[key]
        return self._parties.setdefault(name, _Party())

    def _take_out(self, job: Job[Any], *, dropped: bool = False) -> bool:
        """Whether it waited."""
        with self._lock:
            line = self._party(job.party).line
            waited = job in line
            if waited:
                line.remove(job)
            job.dropped |= dropped
        if waited:
            job.future.set_exception(Cancelled())
        return waited

    def _pump(self) -> None:
        """Begin what may begin. What ends at once asks for it again: one thread at a time does it, in a loop."""
        with self._lock:
            self._asked += 1
            if self._pumping:
                return
            self._pumping = True
        more = True
        while more:
            asked, places = self._asked, self._judge.slots + self._ahead
            while (job := self._next(places)) is not None:
                self._begin(job)
            for job in self._giving_way(places):
                self._stop(job)
            with self._lock:
                more = asked != self._asked
                self._pumping = more

    def _begin(self, job: Job[Any]) -> None:
        try:
            work = job.begin()
        except Exception as error:
            work = Future()
            work.set_exception(error)
        with self._lock:
            job.work = work
            if job.dropped:
                self._stopping.add(job)
            unwanted = job in self._stopping
        work.add_done_callback(lambda done: self._on_ended(job, done))
        if unwanted:
            self._wake.set()

    def _next(self, places: int) -> Job[Any] | None:
        """What is to begin now: it counts as running from here on."""
        with self._lock:
            running = sum(len(each.running) for each in self._parties.values())
            if running >= places or self._closed:
                return None
            allowed = [each for each in self._parties.values() if each.line and self._may_begin(each, places)]
            if not allowed:
                return None
            chosen = min(allowed, key=lambda each: (len(each.running), each.served))
            job = chosen.line.popleft()
            job.begun_s = monotonic()
            chosen.running.append(job)
            chosen.served = next(self._numbers)
            return job

    def _may_begin(self, party: _Party, places: int) -> bool:
        """Whether it leaves a place to others that are there."""
        if places == 1 or len(party.running) < places - 1:
            return True
        now = monotonic()
        others = (each for each in self._parties.values() if each is not party)
        return not any(each.has_work or each.seen_s > now - _THERE_S for each in others)

    def _giving_way(self, places: int) -> Iterator[Job[Any]]:
        """The runs that are to be stopped for parties that have nothing running: of those that have more than a share,
        and never the only one."""
        if self._ahead:
            return
        with self._lock:
            every = list(self._parties.values())
            if sum(len(each.running) for each in every) < places:
                return
            share = max(1.0, places / (sum(each.has_work for each in every) or 1))
            starved = sum(bool(each.line) and not each.running for each in every)
            starved -= sum(job.gives_way for each in every for job in each.running)
            large = [each for each in every if len(each.running) > share]
            found = []
            for each in sorted(large, key=lambda each: -len(each.running))[: max(0, starved)]:
                one = next((job for job in reversed(each.running) if job.repeats and not job.dropped), None)
                if one is not None:
                    one.gives_way, one.repeats = True, False
                    found.append(one)
        yield from found

    def _on_ended(self, job: Job[Any], work: Future[Any]) -> None:
        """Called in a thread of the Judge."""
        cancelled = work.cancelled() or isinstance(work.exception(), Cancelled)
        now = monotonic()
        with self._lock:
            party = self._party(job.party)
            party.running.remove(job)
            party.seen_s = now
            self._stopping.discard(job)
            again = cancelled and job.gives_way and not job.dropped and not self._closed
            if again:
                job.work = job.begun_s = None
                job.gives_way = False
                party.line.appendleft(job)
            elif not cancelled:
                took_s = now - (job.begun_s or now)
                mean_s = party.mean_s
                party.mean_s = took_s if mean_s is None else mean_s + _NEWS * (took_s - mean_s)
        if not again:
            _hand_on(work, job.future)
        self._pump()

    def _stop(self, job: Job[Any]) -> None:
        with self._lock:
            if job.future.done():
                return
            self._stopping.add(job)
        self._wake.set()

    def _stop_all(self) -> None:
        """A thread."""
        while not self._closed:
            self._wake.wait()
            self._wake.clear()
            while begun := self._list_unended():
                for job, work in begun:
                    if self._judge.stop(work):
                        with self._lock:
                            self._stopping.discard(job)
                sleep(_STOP_S)

    def _list_unended(self) -> list[tuple[Job[Any], Future[Any]]]:
        """What is to be stopped and was handed to the Judge."""
        with self._lock:
            return [(job, job.work) for job in self._stopping if job.work is not None and not self._closed]


def _hand_on(work: Future[Any], future: Future[Any]) -> None:
    if work.cancelled():
        future.set_exception(Cancelled())
    elif (error := work.exception()) is not None:
        future.set_exception(error)
    else:
        future.set_result(work.result())
