"""Runs tests of one submission on slots that are free, ahead of the loop that takes their results in order.

    the loop       takes test k, k+1, …; while it waits, its own slot runs a test that no other slot has begun
    other slots    run some of the next `_AHEAD` tests for each slot

The loop sees what it would see if it ran all tests itself: their order decides where testing stops, not which one ended
first. What ran ahead of that end is stopped and forgotten.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol, TypeVar

from judge.common.models import TestResult
from judge.judging.job import Attempt, Job
from judge.judging.trial import on_fresh_slot
from judge.slots.slot import Slot
from problems.model import TestCase

T = TypeVar("T")

#: A result is small. So a long test does not keep the other slots waiting.
_AHEAD = 4
_STOP_S = 0.02


class Others(Protocol):
    """The slots beside the one that judges (`judge.many.local`)."""

    slots: int

    def begin(self, work: Callable[[Slot], T]) -> Future[T]:
        """Do this when a slot is free. Raises Cancelled: there are none any more."""

    def stop(self, future: Future[T]) -> bool:
        """Stop it. False: it still runs; ask again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneTest:
    """What one trial of one test came to."""

    result: TestResult
    #: The trial, if the load may have caused its time-out.
    doubt: Attempt | None
    timed_out: bool
    stood_still: bool


#: Runs one test on the job's slot.
Test = Callable[[Job, TestCase], DoneTest]
#: What one test came to. One that was begun while the job still had time to stand idle is run anew.
Take = Callable[[Job, TestCase], DoneTest]


@contextmanager
def run_ahead(test: Test, cases: Iterable[TestCase], others: Others | None) -> Iterator[Take]:
    """Inside, the tests are taken in the order of `cases`. Without `others` each runs when it is taken."""
    if others is None:
        yield test
        return
    ahead = _Ahead(test, iter(cases), others)
    try:
        yield ahead.take
    finally:
        ahead.stop()


class _Ahead:
    def __init__(self, test: Test, left: Iterator[TestCase], others: Others) -> None:
        self._test, self._left, self._others = test, left, others
        #: Of tests that nobody has taken yet, in their order; and whether the job was `idle` by then.
        self._begun: dict[str, tuple[TestCase, bool, Future[DoneTest]]] = {}

    def take(self, job: Job, case: TestCase) -> DoneTest:
        """Raises as a run on the job's slot does."""
        self._begin(job)
        if self._begun[case.name][1] != job.idle:
            self._stop([self._begun.pop(case.name)[2]])
            return self._test(job, case)
        while not self._begun[case.name][2].done() and self._help(job):
            self._begin(job)
        job.slot.share.release()  # another slot may need that memory
        return self._begun.pop(case.name)[2].result()

    def _begin(self, job: Job) -> None:
        room = _AHEAD * self._others.slots - len(self._begun)
        for case in islice(self._left, max(0, room)):
            self._begun[case.name] = case, job.idle, self._others.begin(self._work(job, case))

    def _work(self, job: Job, case: TestCase) -> Callable[[Slot], DoneTest]:
        return lambda slot: on_fresh_slot(slot, lambda: self._test(replace(job, slot=slot), case))

    def _help(self, job: Job) -> bool:
        """Run the first test that no other slot has begun; False: there is none."""
        for name, (case, _, future) in self._begun.items():
            if future.cancel():
                own = Future[DoneTest]()
                own.set_result(self._test(job, case))
                self._begun[name] = case, job.idle, own
                return True
        return False

    def stop(self) -> None:
        """Nothing of the job is used any more."""
        self._stop([future for *_, future in self._begun.values()])

    def _stop(self, left: list[Future[DoneTest]]) -> None:
        while left := [future for future in left if not self._others.stop(future)]:
            time.sleep(_STOP_S)
