"""Nodes on this machine: worker processes, each with a part of its slots and cores.

    Driver ── ProcessActor ── Wire ═══ socket ═══ Wire ── Worker (worker)
       Arbiter ◄─ ask, give, … ─┘ └─ lend, recall, …        └── LocalExecutor

A worker is started anew, not forked: this process has threads. It ends when its socket does, however this process ends.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from containers import Unavailable
from judge.common.models import Options, Submission
from judge.common.own_process import own_command
from judge.judging.known import Context
from judge.many.cluster.actor import Actor, Candidate, Dead
from judge.many.cluster.node import Answer, NodeSettings, Opened, Refusal, Row
from judge.many.cluster.wire import Wire
from judge.slots.arbiter import Arbiter
from judge.slots.gate import Gate
from problems.model import Problem

_WORKER = "judge.many.cluster.worker"
#: A forked child of this process must not hold workers open.
_ends = weakref.WeakSet[socket.socket]()


def _close_ends() -> None:
    for end in tuple(_ends):
        if end.fileno() >= 0:
            os.close(end.fileno())


os.register_at_fork(after_in_child=_close_ends)


class ProcessActor:
    """The `Actor` of a worker process, and the arbiter's `Member` for the gate there."""

    def __init__(self, settings: NodeSettings, arbiter: Arbiter, share_bytes: int) -> None:
        """
        Raises:
            OSError: no process can be started.
        """
        self._settings, self._arbiter, self._share_bytes = settings, arbiter, share_bytes
        self._wire: Wire | None = None
        self._answered: list[tuple[int, Answer]] = []
        self._any_answered = asyncio.Event()
        self._end, theirs = socket.socketpair()
        _ends.add(self._end)
        with theirs:
            try:
                # In a session of its own: Ctrl-C is for this process, which ends the worker.
                self._process = subprocess.Popen(
                    own_command(_WORKER, str(theirs.fileno())),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
            except BaseException:
                self._end.close()
                raise

    @property
    def pid(self) -> int:
        return self._process.pid

    async def open(self) -> Opened | Refusal:
        self._wire = await Wire.open(self, self._end)
        opened: Opened | Refusal = await self._wire.call("open", self._settings)
        if isinstance(opened, Opened):
            self._arbiter.join(self, share_bytes=self._share_bytes)
        return opened

    async def begin(self, rows: Sequence[Row]) -> None:
        self._opened.tell("begin", rows)  # an answer would cost as much as a row

    async def answers(self) -> list[tuple[int, Answer]]:
        """What the worker told since the last call."""
        while not self._answered:
            if self._opened.ended.is_set():
                raise Dead("its process ended")
            self._any_answered.clear()
            await self._any_answered.wait()
        answers, self._answered = self._answered, []
        return answers

    def answer(self, answers: list[tuple[int, Answer]]) -> None:
        """A call of the worker's wire: as the result of `Node.answers`."""
        self._answered += answers
        self._any_answered.set()

    def end(self) -> None:
        """The wire has ended."""
        self._any_answered.set()

    async def keep(self, digest: str, problem: Problem) -> None:
        await self._opened.call("keep", digest, problem)

    def stop(self, number: int) -> None:
        self._opened.tell("stop", number)

    async def close(self) -> None:
        await self._opened.call("close")

    def kill(self) -> None:
        self._arbiter.leave(self)
        if self._wire is not None:
            self._wire.close()
        else:
            self._end.close()
        self._process.kill()
        threading.Thread(target=self._process.wait, name="judge-reaper", daemon=True).start()

    @property
    def _opened(self) -> Wire:
        if self._wire is None:
            raise Dead("it was not opened")
        return self._wire

    # What the gate there asks, as calls of its wire.

    def ask(self, need_bytes: int) -> None:
        self._arbiter.ask(self, need_bytes)

    def give(self, free_bytes: int) -> None:
        self._arbiter.give(self, free_bytes)

    def ask_alone(self) -> None:
        self._arbiter.ask_alone(self)

    def end_alone(self) -> None:
        self._arbiter.end_alone(self)

    def on_drained(self) -> None:
        self._arbiter.on_drained(self)

    # What the arbiter answers.

    def lend(self, more_bytes: int) -> None:
        self._opened.tell("lend", more_bytes)

    def recall(self, *, wanted: bool) -> None:
        self._opened.tell("recall", wanted)

    def pause(self, *, paused: bool) -> None:
        self._opened.tell("pause", paused)

    def grant(self, *, alone: bool) -> None:
        self._opened.tell("grant", alone)


class _OwnMachine:
    """The `Machine` of the gate of this process."""

    def __init__(self, loop: asyncio.AbstractEventLoop, arbiter: Arbiter, gate: Gate) -> None:
        self._call = loop.call_soon_threadsafe
        self._arbiter, self._gate = arbiter, gate

    def ask(self, need_bytes: int) -> None:
        self._call(self._arbiter.ask, self._gate, need_bytes)

    def give(self, free_bytes: int) -> None:
        self._call(self._arbiter.give, self._gate, free_bytes)

    def ask_alone(self) -> None:
        self._call(self._arbiter.ask_alone, self._gate)

    def end_alone(self) -> None:
        self._call(self._arbiter.end_alone, self._gate)

    def on_drained(self) -> None:
        self._call(self._arbiter.on_drained, self._gate)


class ProcessFleet:
    """The `Fleet` of this machine: a worker process for each of `settings`."""

    #: The way to a worker and back takes a fraction of a millisecond: what waits at a worker could run at another one.
    ahead_s, spare = 0.02, 0

    def __init__(
        self,
        settings: Sequence[NodeSettings],
        programs_bytes: int,
        gate: Gate,
        learn: Callable[[Submission, Options, Context], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """`gate`: of this process, which runs programs, too."""
        self._settings = {str(number): one for number, one in enumerate(settings)}
        self._candidates = {id_: Candidate(name="", cpus=1) for id_ in self._settings}
        self._arbiter = Arbiter(programs_bytes)
        self._arbiter.join(gate, held_bytes=gate.join(_OwnMachine(loop, self._arbiter, gate)))
        self._share_bytes = programs_bytes // len(settings)
        self.learn = learn

    async def find(self) -> Mapping[str, Candidate]:
        return self._candidates

    def start(self, id_: str) -> Actor:
        try:
            return ProcessActor(self._settings[id_], self._arbiter, self._share_bytes)
        except OSError as error:
            raise Dead(f"no process can be started: {error}") from error

    def is_there(self, submission: Submission) -> bool:
        return not isinstance(submission.problem, Problem)

    async def bring(self, actor: Actor, submission: Submission) -> str | Refusal | None:
        """Sends the problem itself: its files are on this machine."""
        problem = cast("Problem", submission.problem)
        digest = str(id(problem))  # `Served.packages` keeps it alive
        await cast("ProcessActor", actor).keep(digest, problem)
        return digest

    def explain(self, why: str) -> Unavailable:
        return Unavailable(why or "this machine starts no worker process")

    def close(self) -> None:
        """Nothing is kept here."""
