"""Decides who runs now, and on how much of the memory. Every run of a Judge passes this gate. The gate tells a run
whether others ran beside it, lets a run whose time is in doubt be repeated alone, and keeps all runs together within
the memory budget (`judge.slots.budget`).

A run takes a core and the memory that it may need at the same moment, or waits holding neither. There is no deadlock:

- A run that waits for memory holds none. (A `Share` gives back what it holds before it asks for more.)
- A run that holds memory waits only for a core, and every run that has a core gives it back when it ends.
- While a Share holds memory, its thread waits for nothing else (no lock, no other compile): see `Share`.

No run waits for ever, either. Memory is given first come, first served, so no small run overtakes a large one. A run
that waits to be alone goes first, except before those that hold the memory that it waits for. Only a part of each
minute is given to runs that are alone. Once it is used up they run beside others, so that no submission stops the
machine.

Programs are not pinned to cores. Pinning saves some 5 % of a short run's time. But several judges (one for each GPU,
say) would pin theirs to the same cores, and a run would wait for a core that another load holds.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from judge.common.errors import Cancelled, OverBudget

_MIB = 1024 * 1024
#: So much of a minute may be used, together, by runs that are alone, or wait to be while no other begins.
_MINUTE_S, _ALONE_S = 60.0, 15.0


class Company:
    """What one run knows about other runs."""

    __slots__ = ("alone", "crowded", "exclusive", "is_repeat")

    def __init__(self, *, alone: bool, exclusive: bool = False, is_repeat: bool = False) -> None:
        #: No other run was there when it began.
        self.alone = alone
        #: Another run was there at some time.
        self.crowded = not alone
        #: No other run may begin before it ends.
        self.exclusive = exclusive
        #: It asked to be alone, because its first trial was in doubt.
        self.is_repeat = is_repeat


class Share:
    """The memory that one slot holds, from the first run that asks for it until `release`. Until then the slot's thread
    may run programs that need no more than that, and must wait for nothing but a core."""

    __slots__ = ("_gate", "held_bytes")

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self.held_bytes = 0

    def release(self) -> None:
        if self.held_bytes:
            self._gate.give_back(self)


class _Ticket:
    """One run that waits."""

    __slots__ = ("alone", "need_bytes")

    def __init__(self, *, alone: bool, need_bytes: int) -> None:
        self.alone = alone
        #: 0: its share holds enough already.
        self.need_bytes = need_bytes


class Gate:
    """Lets runs begin. At most `cores` run at a time: more would only make each other slower. Together they may need at
    most `memory_bytes`; None: no bound."""

    def __init__(self, cores: int, memory_bytes: int | None = None) -> None:
        self._cores = cores
        self.memory_bytes = math.inf if memory_bytes is None else memory_bytes
        self._condition = threading.Condition()
        self._running: set[Company] = set()
        self._given_bytes = 0
        #: Runs that wait for a core and for memory, in their order; and runs that wait to be alone, which go first.
        self._shared: deque[_Ticket] = deque()
        self._exclusive: deque[_Ticket] = deque()
        #: When runs that were alone ended, and how long others waited for each.
        self._alone: deque[tuple[float, float]] = deque()
        self._closed = False

    @contextmanager
    def enter(self, share: Share | None = None, need_bytes: int = 0, *, alone: bool = False) -> Iterator[Company]:
        """A context to run in, beside others; `alone`: as a repeat, which runs beside others only if runs were alone
        for most of their part of the last minute. `share` gets the memory, and keeps it until `Share.release`.

        Raises:
            OverBudget: the run needs more than the whole budget.
            Cancelled: the gate was closed.
        """
        asked_s = time.monotonic()
        exclusive = alone and self._alone_s(asked_s) < _ALONE_S
        company = self._enter(share, need_bytes, alone=exclusive)
        company.is_repeat = alone
        try:
            yield company
        finally:
            self._leave(company)
            if company.exclusive:
                ended_s = time.monotonic()
                self._alone.append((ended_s, ended_s - asked_s))

    def _alone_s(self, now_s: float) -> float:
        """For how much of the last minute others waited for runs that were alone."""
        with self._condition:
            while self._alone and self._alone[0][0] < now_s - _MINUTE_S:
                self._alone.popleft()
            return sum(took_s for _, took_s in self._alone)

    def check(self, need_bytes: int, what: str = "a run") -> None:
        """
        Raises:
            OverBudget: `need_bytes` are more than the whole budget.
        """
        if need_bytes > self.memory_bytes:
            raise OverBudget(
                f"{what} may need {-(-need_bytes // _MIB)} MiB, but the judge's memory budget leaves "
                f"{self.memory_bytes // _MIB:.0f} MiB for programs; lower the limit, or raise --memory-budget"
            )

    def bounded(self, need_bytes: int, least_bytes: int) -> int:
        """`need_bytes`, but never more than the whole budget, with which it runs alone. Of that, `least_bytes` are what
        limits state; what is above depends on what a submission wrote, which must not choose to be refused.

        Raises:
            OverBudget: `least_bytes` are more than the whole budget.
        """
        self.check(least_bytes)
        return int(min(need_bytes, self.memory_bytes))

    def _enter(self, share: Share | None, need_bytes: int, *, alone: bool) -> Company:
        self.check(need_bytes)
        with self._condition:
            if share is not None and need_bytes > share.held_bytes:
                self._take_back(share)
            holds = share is None or need_bytes <= share.held_bytes
            ticket = _Ticket(alone=alone, need_bytes=0 if holds else need_bytes)
            line = self._exclusive if alone else None if holds else self._shared
            if line is not None:
                line.append(ticket)
            try:
                self._condition.wait_for(lambda: self._closed or self._may(ticket))
                if self._closed:
                    raise Cancelled
                company = self._begin(alone=alone)
            finally:
                if line is not None:
                    line.remove(ticket)
                    if line:
                        self._condition.notify_all()  # the next one's turn
            if share is not None and not holds:
                share.held_bytes = need_bytes
                self._given_bytes += need_bytes
            return company

    def _may(self, ticket: _Ticket) -> bool:
        """Whether it is this ticket's turn."""
        first = self._exclusive[0] if self._exclusive else None
        if ticket.alone:
            goes_first = ticket is first or (not ticket.need_bytes and first is not None and not self._fits(first))
            return goes_first and not self._running and self._fits(ticket)
        if len(self._running) >= self._cores or any(company.exclusive for company in self._running):
            return False
        if not ticket.need_bytes:  # its share may hold the memory that the first ticket waits for
            return first is None or not self._fits(first)
        return first is None and ticket is self._shared[0] and self._fits(ticket)

    def _fits(self, ticket: _Ticket) -> bool:
        return self._given_bytes + ticket.need_bytes <= self.memory_bytes

    def _begin(self, *, alone: bool) -> Company:
        for other in self._running:
            other.crowded = True
        company = Company(alone=not self._running, exclusive=alone)
        self._running.add(company)
        return company

    def _leave(self, company: Company) -> None:
        with self._condition:
            self._running.discard(company)
            self._condition.notify_all()

    def give_back(self, share: Share) -> None:
        with self._condition:
            self._take_back(share)

    def _take_back(self, share: Share) -> None:
        if share.held_bytes:
            self._given_bytes -= share.held_bytes
            share.held_bytes = 0
            self._condition.notify_all()

    def close(self) -> None:
        """Let no run begin any more. All that wait get `Cancelled`."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
