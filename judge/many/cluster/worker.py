"""A worker process (`judge.many.cluster.processes`): a node that has a part of its machine.

It takes no signal that means the end of the command: the process that started it ends it. When the socket ends, that
process is gone, and so are the worker and what it runs.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys
import threading
from typing import Any, cast

from judge.common.collecting import COLLECTED_AFTER
from judge.common.errors import ConfigError
from judge.common.models import Options, Submission
from judge.judging.known import Context
from judge.many.cluster.node import NO_ROW, Lent, Node, NodeSettings, Opened, Refusal
from judge.many.cluster.wire import Wire
from judge.many.executor import Executor
from judge.many.local import LocalExecutor

#: How long what runs may take to be stopped when the driver is gone.
_ENDS_S = 10.0


class _Door:
    """What the driver calls first."""

    def __init__(self) -> None:
        self.wire: Wire | None = None
        self.worker: Worker | None = None

    async def open(self, settings: NodeSettings) -> Opened | Refusal:
        wire = cast("Wire", self.wire)
        self.worker = wire.handler = Worker(settings, wire)
        return await self.worker.open(1)

    def end(self) -> None:
        """`_serve` waits for it."""


class Worker(Node):
    """A node whose gate shares the machine with those of other processes: their arbiter is in the driver's."""

    def __init__(self, settings: NodeSettings, wire: Wire) -> None:
        super().__init__(settings)
        self._wire, self._loop = wire, asyncio.get_running_loop()
        self._telling = asyncio.ensure_future(self._tell_answers())

    async def _tell_answers(self) -> None:
        while True:
            self._wire.tell("answer", await self.answers())

    def end(self) -> None:
        """`_serve` waits for it."""

    def _make_executor(self, cpus: int) -> Executor:
        asked = self._settings
        if asked.part is None:
            raise ConfigError("a worker was not told its part of the machine")
        self._local = LocalExecutor(asked.part, asked.backend, asked.require, asked.cache_directory)
        self._local.gate.join(self)
        self._lend, self._local.gate.on_cores_lent = self._local.gate.on_cores_lent, self._on_cores_lent
        return self._local

    def _on_cores_lent(self) -> None:
        """From any thread."""
        self._lend()
        self._loop.call_soon_threadsafe(self._tell_lent)

    def _tell_lent(self) -> None:
        self._answer(NO_ROW, Lent(self._local.gate.lent_cores))

    def _context(self, submission: Submission, options: Options) -> Context | None:
        return self._local.engine.context(submission, options)

    # What the arbiter answers.

    def lend(self, more_bytes: int) -> None:
        self._local.gate.lend(more_bytes)

    def recall(self, wanted: bool) -> None:
        self._local.gate.recall(wanted=wanted)

    def pause(self, paused: bool) -> None:
        self._local.gate.pause(paused=paused)

    def grant(self, alone: bool) -> None:
        self._local.gate.grant(alone=alone)

    # The `Machine` of the gate: it asks the arbiter.

    def ask(self, need_bytes: int) -> None:
        self._tell("ask", need_bytes)

    def give(self, free_bytes: int) -> None:
        self._tell("give", free_bytes)

    def ask_alone(self) -> None:
        self._tell("ask_alone")

    def end_alone(self) -> None:
        self._tell("end_alone")

    def on_drained(self) -> None:
        self._tell("on_drained")

    def _tell(self, *what: Any) -> None:
        """From any thread."""
        self._loop.call_soon_threadsafe(self._wire.tell, *what)


async def _serve(end: socket.socket) -> None:
    door = _Door()
    door.wire = await Wire.open(door, end)
    await door.wire.ended.wait()
    late = threading.Timer(_ENDS_S, os._exit, (1,))
    late.daemon = True
    late.start()
    if door.worker is not None:
        await door.worker.close()


def main() -> None:
    """Serve the socket whose descriptor is the second argument."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)  # not SIG_IGN, which programs would inherit
    gc.set_threshold(*COLLECTED_AFTER)
    end = socket.socket(fileno=int(sys.argv[2]))
    end.set_inheritable(False)
    asyncio.run(_serve(end))
    os._exit(0)  # threads that wait are of no use to anybody
