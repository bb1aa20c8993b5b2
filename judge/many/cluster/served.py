"""A node as the driver sees it, and what it was given."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from containers import Isolation
from judge.common.execution import Program
from judge.common.models import Options, Submission
from judge.common.promise import Promise
from judge.judging.watch import Watch
from judge.many.cluster.actor import Actor
from judge.many.cluster.node import Row

#: Weight of the last look at a node's rate, and how far apart two looks are.
_NEWS, _LOOK_AT_RATE_S = 0.5, 0.1
#: `_PACKAGES` packages of a node are remembered: others are sent again.
_PACKAGES = 1 << 16


@dataclass(slots=True, kw_only=True, eq=False)
class RemoteTask:
    """A submission, or a program to execute, that is not answered yet."""

    work: Submission | Program
    options: Options
    watch: Watch | None = None
    problem_key: Hashable
    future: Future[Any] = field(default_factory=Promise)
    losses: list[str] = field(default_factory=list)
    #: Somebody gave it up while it was judged.
    is_stopped: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class Served:
    """A node as the driver sees it."""

    id: str
    name: str
    actor: Actor
    slots: int
    isolation: Isolation
    #: As of `Fleet`.
    ahead_s: float
    spare: int
    #: Submissions that were given to it and are not answered, by the numbers that rows and answers carry.
    running: dict[int, RemoteTask] = field(default_factory=dict)
    #: Those of them that the next chunk takes along.
    outgoing: deque[Row] = field(default_factory=deque)
    any_outgoing: asyncio.Event = field(default_factory=asyncio.Event)
    #: What sends to it and receives from it.
    work: set[asyncio.Task[None]] = field(default_factory=set)
    #: Packages that it has, by problem: the digest of a package that was sent, or None if it finds an equal one itself.
    #: No task: nothing had to be asked.
    packages: dict[Hashable, asyncio.Task[str | None] | None] = field(default_factory=dict)
    lost: str | None = None
    #: How many of its rows stand still (`node.Lent`).
    lent: int = 0
    #: Answers a second, and what it was computed from.
    rate: float = 0.0
    answered: int = 0
    looked_s: float = field(default_factory=time.monotonic)

    @property
    def at_once(self) -> int:
        """How many submissions it judges at once."""
        return self.slots + self.lent

    @property
    def most(self) -> int:
        """How many submissions to give it: a few more than it judges at once, so that no slot waits for the network."""
        return self.at_once + max(self.spare, self.spare * self.slots // 4) + int(self.rate * self.ahead_s)

    @property
    def room(self) -> int:
        return self.most - len(self.running)

    def remember(self, key: Hashable, package: asyncio.Task[str | None] | None) -> None:
        """Put it into `packages`, and forget the oldest of too many."""
        if len(self.packages) >= _PACKAGES:
            del self.packages[next(iter(self.packages))]
        self.packages[key] = package

    def count(self, answers: int) -> None:
        """Learn the rate. A node with too little to do answers at the rate of the network: then each look makes `most`
        grow, until the slots bound the rate."""
        self.answered += answers
        now_s = time.monotonic()
        if (past_s := now_s - self.looked_s) >= _LOOK_AT_RATE_S:
            self.rate += _NEWS * (self.answered / past_s - self.rate)
            self.answered, self.looked_s = 0, now_s
