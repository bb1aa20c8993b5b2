"""Shares one machine among the gates of several processes: its memory budget, and the time in which a run is alone.

    gate ── ask, give, ask_alone, end_alone, on_drained ──► Arbiter ── lend, recall, pause, grant ──► gate

Each gate has a loan of memory, of which it gives to its runs without a message. Only one that needs more asks. The
first who asks gets what it needs from the pool; if that is too little, all give back what they do not use, and what
their runs give back, until it is enough. So the order is first come, first served, over the whole machine.

A run that is to be alone has its memory already when it asks. All other gates are paused then: what runs there ends,
and nothing begins. A run waits for its memory or for a core, never for the pause of somebody who waits for it.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import Protocol

from judge.slots.gate import AloneTime


class Member(Protocol):
    """A gate, here or in another process. Its methods wait for nothing (`judge.slots.gate.Gate`)."""

    def lend(self, more_bytes: int) -> None: ...

    def recall(self, *, wanted: bool) -> None: ...

    def pause(self, *, paused: bool) -> None: ...

    def grant(self, *, alone: bool) -> None: ...


@dataclass(slots=True, kw_only=True)
class _Standing:
    """What the arbiter knows of a member."""

    lent_bytes: int
    recalled: bool = False
    paused: bool = False
    #: It was paused, and nothing runs there any more.
    quiet: bool = False


class Arbiter:
    """Use it in one thread only."""

    def __init__(self, memory_bytes: int) -> None:
        self._pool_bytes = memory_bytes
        self._members: dict[Member, _Standing] = {}
        #: Who waits for memory, and how much; and who waits to be alone, since when.
        self._asks: deque[tuple[Member, int]] = deque()
        self._alone: deque[tuple[Member, float]] = deque()
        #: Who is alone, or is next; and whether it was told.
        self._owner: tuple[Member, float] | None = None
        self._granted = False
        self._time = AloneTime()

    def join(self, member: Member, *, held_bytes: int = 0, share_bytes: int = 0) -> None:
        """`held_bytes`: what its runs hold already; `share_bytes`: what to lend it first, if so much is there."""
        self._pool_bytes -= held_bytes
        standing = self._members[member] = _Standing(lent_bytes=held_bytes)
        if (first := min(share_bytes, self._pool_bytes)) > 0 and not self._asks:
            self._lend(member, first)
        if self._owner is not None:
            standing.paused = True
            member.pause(paused=True)

    def leave(self, member: Member) -> None:
        """Its process is gone, and so is what ran there. Idempotent."""
        standing = self._members.pop(member, None)
        if standing is None:
            return
        self._pool_bytes += standing.lent_bytes
        self._asks = deque(ask for ask in self._asks if ask[0] is not member)
        self._alone = deque(ask for ask in self._alone if ask[0] is not member)
        self._serve()
        if self._owner is not None and self._owner[0] is member:
            self.end_alone(member)
        else:
            self._grant()

    def ask(self, member: Member, need_bytes: int) -> None:
        if member in self._members:
            self._asks.append((member, need_bytes))
            self._serve()

    def give(self, member: Member, free_bytes: int) -> None:
        if (standing := self._members.get(member)) is not None:
            standing.lent_bytes -= free_bytes
            self._pool_bytes += free_bytes
            self._serve()

    def _serve(self) -> None:
        """Lend to the first who ask. While one waits, recall what is free, from it too: it asks for all it needs."""
        while self._asks and self._asks[0][1] <= self._pool_bytes:
            self._lend(*self._asks.popleft())
        wanted = bool(self._asks)
        for member, standing in self._members.items():
            if wanted is not standing.recalled:
                standing.recalled = wanted
                member.recall(wanted=wanted)

    def _lend(self, member: Member, more_bytes: int) -> None:
        self._pool_bytes -= more_bytes
        self._members[member].lent_bytes += more_bytes
        member.lend(more_bytes)

    def ask_alone(self, member: Member) -> None:
        if member in self._members:
            self._alone.append((member, time.monotonic()))
            self._next_alone()

    def end_alone(self, member: Member) -> None:
        if self._owner is None or self._owner[0] is not member:
            return
        self._time.add(self._owner[1], time.monotonic())
        self._owner, self._granted = None, False
        self._next_alone()

    def on_drained(self, member: Member) -> None:
        if (standing := self._members.get(member)) is not None and standing.paused:
            standing.quiet = True
            self._grant()

    def _next_alone(self) -> None:
        while self._owner is None and self._alone:
            member, asked_s = self._alone.popleft()
            if self._time.is_left(time.monotonic()):
                self._owner = member, asked_s
            else:
                member.grant(alone=False)
        for member, standing in list(self._members.items()):
            paused = self._owner is not None and (member is not self._owner[0] or standing.paused)
            if paused is not standing.paused:
                standing.paused, standing.quiet = paused, False
                member.pause(paused=paused)
        self._grant()

    def _grant(self) -> None:
        if self._owner is None or self._granted:
            return
        owner = self._owner[0]
        if all(standing.quiet for member, standing in self._members.items() if member is not owner):
            self._granted = True
            owner.grant(alone=True)
