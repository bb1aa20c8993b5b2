"""What waits for a slot, and the threads that take it.

Of the first few submissions, the one that will probably take longest goes first. Otherwise a long one could begin last,
and all slots but one would wait for it. If the first in line was passed over often enough, it goes next.

The process does not wait for the threads when it ends, whatever still waits to be done: who presses Ctrl-C beside a
Judge that nobody closes gets the prompt back.
"""

from __future__ import annotations

import errno
import math
import os
import threading
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from judge.common.models import Judgement, Options, Submission
from judge.judging.watch import Watch
from judge.store.recent import Recent

#: We remember for `_REMEMBERED` pairs of problem and language how long a submission takes.
_REMEMBERED = 4096
#: Weight of the last submission's time in the expected time.
_NEWS = 0.25


@dataclass(slots=True, kw_only=True, eq=False)
class QueuedTask:
    submission: Submission
    options: Options
    future: Future[Judgement]
    watch: Watch | None = None

    @property
    def kind(self) -> Hashable:
        return self.submission.problem_key, self.submission.language


class Waiting:
    """The waiting submissions. `take` chooses among the first `window`. Not thread-safe."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._tasks: deque[QueuedTask] = deque()
        self._passed = 0  # how often the first task was passed over
        self._expected_ns = Recent[float](_REMEMBERED)

    def put(self, task: QueuedTask) -> None:
        self._tasks.append(task)

    def take(self) -> QueuedTask | None:
        """The next task, which may be cancelled; None: none waits."""
        if not self._tasks:
            return None
        index = 0
        if len(self._tasks) > 1 and self._passed < self._window:
            expected = [self._estimate(task) for task in islice(self._tasks, self._window)]
            index = expected.index(max(expected))
        self._passed = self._passed + 1 if index else 0
        task = self._tasks[index]
        del self._tasks[index]
        return task

    def took(self, task: QueuedTask, wall_ns: int) -> None:
        before = self._expected_ns.get(task.kind)
        self._expected_ns.put(task.kind, wall_ns if before is None else before + _NEWS * (wall_ns - before))

    def clear(self) -> list[QueuedTask]:
        left = list(self._tasks)
        self._tasks.clear()
        return left

    def _estimate(self, task: QueuedTask) -> float:
        known = self._expected_ns.get(task.kind)
        return math.inf if known is None else known  # unknown ones first, to learn their time


class Workers:
    """At most so many threads work, started as work comes, and some more while others of them only wait (`lend`). Not
    for the main thread (`judge.common.promise`)."""

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._changed = threading.Condition()
        self._work: deque[Callable[[], None]] = deque()
        self._threads: list[threading.Thread] = []
        #: Threads that work, and how many of them only wait.
        self._busy = self._lent = 0
        self._started = 0
        self._closed = False

    def do(self, work: Callable[[], None], future: Future[Any]) -> None:
        """Have this done when a thread is free, or here after `close`. It must raise nothing. `future` is of what comes
        of it.

        Raises:
            OSError: there is no thread, and none can be started. The future is cancelled.
        """
        failure = None
        with self._changed:
            closed = self._closed
            if not closed:
                self._work.append(work)
                self._changed.notify()
                try:
                    self._start()
                except RuntimeError as error:
                    failure = None if self._threads else error  # those that there are do it
        if closed:
            work()
        elif failure is not None and future.cancel():
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from failure

    def lend(self, count: Callable[[], int]) -> None:
        """So many threads that work only wait: as many more may work beside them. `count` is asked for the newest
        number, and must wait for nothing."""
        with self._changed:
            self._lent = count()
            self._changed.notify_all()
            with suppress(RuntimeError):  # then those that there are do it
                self._start()

    def _start(self) -> None:
        """Start a thread if work waits that could be done now. Call with `_changed`."""
        idle = len(self._threads) - self._busy
        if self._closed or idle >= min(len(self._work), self._most + self._lent - self._busy):
            return
        thread = threading.Thread(target=self._run, name=f"{self._name}_{self._started}", daemon=True)
        thread.start()
        self._started += 1
        self._threads.append(thread)

    def _run(self) -> None:
        while (work := self._take()) is not None:
            work()
            with self._changed:
                self._busy -= 1

    def _take(self) -> Callable[[], None] | None:
        """The next work; None: there is none, and none comes any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._may_begin() or (self._closed and not self._work))
            if not self._work:
                return None
            self._busy += 1
            work = self._work.popleft()
            if self._closed and not self._work:
                self._changed.notify_all()
            return work

    def _may_begin(self) -> bool:
        return bool(self._work) and self._busy < self._most + self._lent

    def close(self) -> None:
        """Wait until all is done that was asked for."""
        with self._changed:
            self._closed = True
            threads, self._threads = self._threads, []
            self._changed.notify_all()
        for thread in threads:
            thread.join()
