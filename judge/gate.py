"""Who runs now. Every run of a Judge passes this gate, so that it knows whether it had company, and so that a run whose
time is in doubt can be repeated with none.

A thread holds the gate only while it runs one program, and never asks again while it holds it: there is no deadlock.
Whoever waits to be alone goes first: those who come later wait.

Programs are not pinned to cores. It saves some 5 % of a short run's time, but judges in several processes (one for each
GPU, say) would pin theirs to the same cores, and a core that another load holds would be waited for.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from judge.errors import Cancelled


class Company:
    """What one run knows of the others."""

    __slots__ = ("alone", "crowded")

    def __init__(self, *, alone: bool) -> None:
        #: Nothing else ran when it began.
        self.alone = alone
        #: Something else ran at some time beside it.
        self.crowded = not alone


class Gate:
    """`cores` is how many may run beside each other: more would only make each other's times longer."""

    def __init__(self, cores: int) -> None:
        self._cores = cores
        self._condition = threading.Condition()
        self._running: set[Company] = set()
        self._exclusive = 0  # how many wait to run alone, or do
        self._closed = False

    @contextmanager
    def shared(self) -> Iterator[Company]:
        """Run beside others."""
        with self._condition:
            self._condition.wait_for(lambda: self._closed or (not self._exclusive and len(self._running) < self._cores))
            company = self._enter()
        try:
            yield company
        finally:
            self._leave(company)

    @contextmanager
    def exclusive(self) -> Iterator[Company]:
        """Run when nothing else does."""
        with self._condition:
            self._exclusive += 1
            try:
                self._condition.wait_for(lambda: self._closed or not self._running)
                company = self._enter()
            except BaseException:
                self._exclusive -= 1
                self._condition.notify_all()
                raise
        try:
            yield company
        finally:
            with self._condition:
                self._exclusive -= 1
            self._leave(company)

    def _enter(self) -> Company:
        if self._closed:
            raise Cancelled
        for other in self._running:
            other.crowded = True
        company = Company(alone=not self._running)
        self._running.add(company)
        return company

    def _leave(self, company: Company) -> None:
        with self._condition:
            self._running.discard(company)
            self._condition.notify_all()

    def close(self) -> None:
        """Nobody enters any more; those who wait get `Cancelled`."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
