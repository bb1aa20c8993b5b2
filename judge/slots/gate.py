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

A run that stands still (it computes nothing, and waits for no core) lends its core, so that who sleeps delays nobody.
When it goes on it competes with whoever has begun meanwhile. That is bounded by the number of spares. All of them know
that they had company, so a time-out is in doubt as it is anywhere else; and a run is alone only when nobody sleeps.

A gate may have a part of a machine only: then other processes run programs of the same Judge. It gets its memory as
loans, and asks the arbiter of the machine (`judge.slots.arbiter`) for more, and to be alone there. The arbiter answers
by calls of the gate. Neither waits for the other.

Programs are not pinned to cores. Pinning saves some 5 % of a short run's time. But several judges (one for each GPU,
say) would pin theirs to the same cores, and a run would wait for a core that another load holds.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from judge.common.errors import Cancelled, OverBudget

_MIB = 1024 * 1024
#: So much of a minute may be used, together, by runs that are alone, or wait to be while no other begins.
_MINUTE_S, _ALONE_S = 60.0, 15.0


class Machine(Protocol):
    """What a gate asks of the machine of which it has a part. These calls only send a message: the gate makes them
    while it holds its lock."""

    def ask(self, need_bytes: int) -> None:
        """A run waits for so much memory. The answer is `Gate.lend`."""

    def give(self, free_bytes: int) -> None:
        """Give a loan back, or a part of it."""

    def ask_alone(self) -> None:
        """A run of this gate wants to be alone on the machine. The answer is `Gate.grant`."""

    def end_alone(self) -> None:
        """The run that was granted to be alone has ended."""

    def on_drained(self) -> None:
        """No run of this gate runs, and none begins before `Gate.pause` ends."""


class AloneTime:
    """How much of the last minute others waited for runs that were alone. Not thread-safe."""

    def __init__(self) -> None:
        #: When runs that were alone ended, and how long others waited for each.
        self._spans: deque[tuple[float, float]] = deque()

    def add(self, asked_s: float, ended_s: float) -> None:
        self._spans.append((ended_s, ended_s - asked_s))

    def is_left(self, now_s: float) -> bool:
        while self._spans and self._spans[0][0] < now_s - _MINUTE_S:
            self._spans.popleft()
        return sum(took_s for _, took_s in self._spans) < _ALONE_S


class Company:
    """What one run knows about other runs."""

    __slots__ = ("alone", "crowded", "exclusive", "is_repeat", "still")

    def __init__(self, *, alone: bool, exclusive: bool = False, is_repeat: bool = False) -> None:
        #: No other run was there when it began.
        self.alone = alone
        #: Another run was there at some time.
        self.crowded = not alone
        #: No other run may begin before it ends.
        self.exclusive = exclusive
        #: It asked to be alone, because its first trial was in doubt.
        self.is_repeat = is_repeat
        #: It computes nothing, and waits for no core: another run may have its core meanwhile.
        self.still = False


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
    """Lets runs begin. At most `cores` run at a time: more would only make each other slower. At most `spares` of them
    lend their core to others while they stand still. Together all may need at most `memory_bytes`; None: no bound."""

    def __init__(self, cores: int, memory_bytes: int | None = None, spares: int = 0) -> None:
        self._cores, self._spares = cores, spares
        #: Called when the number of cores that are lent has changed.
        self.on_cores_lent: Callable[[], None] = lambda: None
        #: How many cores of runs that stand still others have.
        self.lent_cores = 0
        self.memory_bytes = math.inf if memory_bytes is None else memory_bytes
        self._condition = threading.Condition()
        self._running: set[Company] = set()
        self._given_bytes = 0
        #: Runs that wait for a core and for memory, in their order; and runs that wait to be alone, which go first.
        self._shared: deque[_Ticket] = deque()
        self._exclusive: deque[_Ticket] = deque()
        self._alone = AloneTime()
        self._closed = False
        #: None: the whole machine is this gate's.
        self._machine: Machine | None = None
        #: Of `memory_bytes`, what may be given to runs now; and what of that the arbiter lent to a run that waits.
        self._lent_bytes = self.memory_bytes
        self._reserved_bytes = 0
        #: Whether the arbiter was asked for memory and has not answered, and whether it wants back what is free.
        self._asks = self._recalled = False
        self._paused = False
        #: The run that waits to be alone on the machine, and the answer to it.
        self._asks_alone: Company | None = None
        self._granted: bool | None = None

    @property
    def is_single(self) -> bool:
        """Whether no run can be beside another one, now or later: this gate has one core, and no part of a machine."""
        return self._cores == 1 and not self._spares and self._machine is None

    def join(self, machine: Machine) -> int:
        """Share the machine with other processes from now on. Returns the memory in bytes that runs hold here: it
        stays lent to this gate."""
        with self._condition:
            self._machine = machine
            for company in self._running:
                company.crowded = True
            self._lent_bytes = self._given_bytes
            return self._given_bytes

    def lend(self, more_bytes: int) -> None:
        """The arbiter's answer to `Machine.ask`, or a part of the memory that it gives to begin with."""
        with self._condition:
            self._lent_bytes += more_bytes
            self._reserved_bytes = more_bytes if self._asks and (self._shared or self._exclusive) else 0
            self._asks = False
            self._return_free()
            self._condition.notify_all()

    def recall(self, *, wanted: bool) -> None:
        """Whether another gate waits for memory: then what is free here goes back."""
        with self._condition:
            self._recalled = wanted
            self._return_free()

    def pause(self, *, paused: bool) -> None:
        """Whether a run of another gate is alone, or waits to be."""
        with self._condition:
            self._paused = paused
            self._tell_drained()
            self._condition.notify_all()

    def grant(self, *, alone: bool) -> None:
        """The arbiter's answer to `Machine.ask_alone`. False: runs were alone for long enough in the last minute."""
        with self._condition:
            self._granted = alone
            self._condition.notify_all()

    def _return_free(self) -> None:
        """Call with `_condition`."""
        free = self._lent_bytes - self._given_bytes - self._reserved_bytes
        if self._machine is not None and self._recalled and free > 0:
            self._lent_bytes -= free
            self._machine.give(int(free))

    def _tell_drained(self) -> None:
        """Call with `_condition`."""
        if self._machine is not None and self._paused and not self._running - {self._asks_alone}:
            self._machine.on_drained()

    @contextmanager
    def enter(self, share: Share | None = None, need_bytes: int = 0, *, alone: bool = False) -> Iterator[Company]:
        """A context to run in, beside others; `alone`: as a repeat, which runs beside others only if runs were alone
        for most of their part of the last minute. `share` gets the memory, and keeps it until `Share.release`.

        Raises:
            OverBudget: the run needs more than the whole budget.
            Cancelled: the gate was closed.
        """
        asked_s = time.monotonic()
        with self._condition:
            exclusive = alone and self._alone.is_left(asked_s)
        company = self._enter(share, need_bytes, alone=exclusive)
        company.is_repeat = alone
        try:
            yield company
        finally:
            self._leave(company)
            if company.exclusive:
                with self._condition:
                    self._alone.add(asked_s, time.monotonic())

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

    def bound_need(self, need_bytes: int, least_bytes: int) -> int:
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
                self._condition.wait_for(lambda: self._closed or self._may(ticket) or self._asks_for(ticket))
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
                self._reserved_bytes = 0
                self._return_free()
            if alone and self._machine is not None:
                self._be_alone(company, self._machine)
            return company

    def _be_alone(self, company: Company, machine: Machine) -> None:
        """Wait, with the memory that the run needs, until no other gate runs anything. Call with `_condition`.

        Raises:
            Cancelled: the gate was closed.
        """
        self._asks_alone = company
        machine.ask_alone()
        self._tell_drained()
        self._condition.wait_for(lambda: self._closed or self._granted is not None)
        company.exclusive = company.alone = bool(self._granted)
        company.crowded = not company.alone
        self._granted = self._asks_alone = None
        self._condition.notify_all()
        if self._closed:
            self._running.discard(company)
            raise Cancelled

    def _asks_for(self, ticket: _Ticket) -> bool:
        """Ask the arbiter for the memory of the run that is first in line. False, for its wait goes on."""
        first = (self._exclusive or self._shared or (None,))[0]
        if self._machine is not None and ticket is first and not self._asks and not self._fits(ticket):
            self._asks, self._reserved_bytes = True, 0  # what was lent to a run that needed less goes back, if recalled
            self._return_free()
            self._machine.ask(ticket.need_bytes)
        return False

    def _may(self, ticket: _Ticket) -> bool:
        """Whether it is this ticket's turn."""
        first = self._exclusive[0] if self._exclusive else None
        if ticket.alone:
            goes_first = ticket is first or (not ticket.need_bytes and first is not None and not self._fits(first))
            return goes_first and not self._running and self._fits(ticket)
        if self._paused or len(self._running) - self.lent_cores >= self._cores:
            return False
        if any(company.exclusive for company in self._running):
            return False
        if not ticket.need_bytes:  # its share may hold the memory that the first ticket waits for
            return first is None or not self._fits(first)
        return first is None and ticket is self._shared[0] and self._fits(ticket)

    def _fits(self, ticket: _Ticket) -> bool:
        return self._given_bytes + ticket.need_bytes <= self._lent_bytes

    def _begin(self, *, alone: bool) -> Company:
        for other in self._running:
            other.crowded = True
        company = Company(alone=not self._running and self._machine is None, exclusive=alone)
        self._running.add(company)
        return company

    def tell_still(self, company: Company, still: bool) -> None:
        """A run stands still, or goes on. What goes on competes with whoever has its core: all of them were `crowded`
        from their beginning."""
        with self._condition:
            company.still = still and not company.exclusive
            changed = self._count_lent()
            self._condition.notify_all()
        if changed:
            self.on_cores_lent()

    def _count_lent(self) -> bool:
        """Whether it is another number now. Call with `_condition`."""
        before, self.lent_cores = self.lent_cores, min(self._spares, sum(company.still for company in self._running))
        return self.lent_cores != before

    def _leave(self, company: Company) -> None:
        with self._condition:
            self._running.discard(company)
            changed = self._count_lent()
            if self._machine is not None and company.exclusive:
                self._machine.end_alone()
            self._tell_drained()
            self._condition.notify_all()
        if changed:
            self.on_cores_lent()

    def give_back(self, share: Share) -> None:
        with self._condition:
            self._take_back(share)

    def _take_back(self, share: Share) -> None:
        if share.held_bytes:
            self._given_bytes -= share.held_bytes
            share.held_bytes = 0
            self._return_free()
            self._condition.notify_all()

    def close(self) -> None:
        """Let no run begin any more. All that wait get `Cancelled`."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
