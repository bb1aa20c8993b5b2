"""Drives a `Dispatcher` from any thread: its event loop runs in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from containers import Isolation
from judge.common.errors import Cancelled
from judge.common.execution import Program
from judge.common.models import Options, Submission
from judge.judging.watch import Watch
from judge.many.cluster.actor import Fleet
from judge.many.cluster.dispatch import Dispatcher
from judge.many.cluster.served import RemoteTask

_Result = TypeVar("_Result")


class Driver:
    """Hands submissions to the nodes of a fleet."""

    def __init__(self, make: Callable[[asyncio.AbstractEventLoop], Fleet]) -> None:
        """`make`: the fleet. It uses the loop from then on."""
        self._lock = threading.Lock()
        self._closed = False
        self._incoming: list[RemoteTask] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="judge-driver", daemon=True)
        self._dispatcher = Dispatcher(make(self._loop))
        self._thread.start()
        self._begun = asyncio.run_coroutine_threadsafe(self._dispatcher.begin(), self._loop)

    def wait_open(self, patience_s: float) -> None:
        """
        Raises:
            Unavailable: no node can judge.
            Dead: the fleet does not say where nodes can be.
        """
        self._begun.result()
        self._wait(self._dispatcher.wait_open(patience_s))

    @property
    def slots(self) -> int:
        return self._dispatcher.slots

    @property
    def isolation(self) -> Isolation:
        return self._dispatcher.isolation

    def submit(self, work: Submission | Program, options: Options, watch: Watch | None = None) -> Future[Any]:
        """The future gives a Judgement, or the Execution of a program.

        Raises:
            Cancelled: this was closed.
        """
        key = work.problem_key if isinstance(work, Submission) else None
        task = RemoteTask(work=work, options=options, watch=watch, problem_key=key)
        with self._lock:
            if self._closed:
                raise Cancelled
            self._incoming.append(task)
            if len(self._incoming) == 1:  # the loop is woken once for all that come before it looks
                self._loop.call_soon_threadsafe(self._hand_over)
        return task.future

    def _hand_over(self) -> None:
        with self._lock:
            incoming, self._incoming = self._incoming, []
        self._dispatcher.submit(incoming)

    def stop(self, future: Future[Any]) -> bool:
        if future.cancel() or future.done():
            return True
        with self._lock:
            if not self._closed:
                self._loop.call_soon_threadsafe(self._dispatcher.stop, future)
        return False

    def close(self) -> None:
        """Idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        try:
            self._wait(self._dispatcher.close())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _wait(self, work: Coroutine[None, None, _Result]) -> _Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
