"""What starts nodes, and how the dispatcher calls one: the parts in which a Ray cluster and the worker processes of one
machine differ (`rays`, `processes`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from containers import Unavailable
from judge.common.models import Options, Submission
from judge.judging.known import Context
from judge.many.cluster.node import Answer, Opened, Refusal, Row


class Dead(Exception):
    """The process of a node is gone. The message says how."""


class Failed(Exception):
    """A method of a node raised what it must not. The message says what."""


class Actor(Protocol):
    """A `Node` in another process. Every coroutine raises Dead or Failed, too."""

    async def open(self) -> Opened | Refusal:
        """As `Node.open`."""

    async def begin(self, rows: Sequence[Row]) -> None:
        """As `Node.begin`."""

    async def answers(self) -> list[tuple[int, Answer]]:
        """As `Node.answers`."""

    def stop(self, number: int) -> None:
        """As `Node.stop`, without waiting."""

    async def close(self) -> None:
        """As `Node.close`."""

    def kill(self) -> None:
        """End its process. Idempotent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A machine, or a part of one, on which a node can be started."""

    #: As messages call it; empty: it is this machine, and messages do not name it.
    name: str
    cpus: int


class Fleet(Protocol):
    """Where nodes run. Use it in one event loop only."""

    #: For so many seconds beyond what its slots do now a node is given work, and at least so many submissions: it must
    #: not run dry while a chunk and its answers are under way.
    ahead_s: float
    spare: int

    async def find(self) -> Mapping[str, Candidate]:
        """The machines that can have a node now, by their ids.

        Raises:
            Dead: nobody knows.
        """

    def start(self, id_: str) -> Actor:
        """
        Raises:
            Dead: no process can be started there.
        """

    def is_there(self, submission: Submission) -> bool:
        """Whether every node finds the problem by itself."""

    async def bring(self, actor: Actor, submission: Submission) -> str | Refusal | None:
        """Make sure that the node has the problem. Returns the digest under which it keeps it (None: it finds an equal
        one itself), or why it does not take it.

        Raises:
            Dead, Failed: as a call of the node.
            JudgeError, ProblemError: this problem cannot be sent.
        """

    def learn(self, submission: Submission, options: Options, context: Context) -> None:
        """A node learned in which context such submissions are judged (`judge.judging.known`)."""

    def explain(self, why: str) -> Unavailable:
        """The error when no node can judge. `why`: what is wrong with each; empty: there is none."""

    def close(self) -> None:
        """Free what was kept to be sent. All actors were killed."""
