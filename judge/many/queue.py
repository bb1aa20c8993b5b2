"""Orders the submissions that wait for a slot.

Of the first few, the one that will probably take longest goes first. Otherwise a long one could begin last, and all
slots but one would wait for it. If the first in line was passed over often enough, it goes next.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice

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
        index = self._next()
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

    def _next(self) -> int:
        if self._passed >= self._window:
            return 0
        expected = [self._estimate(task) for task in islice(self._tasks, self._window)]
        return expected.index(max(expected))

    def _estimate(self, task: QueuedTask) -> float:
        known = self._expected_ns.get(task.kind)
        return math.inf if known is None else known  # unknown ones first, to learn their time
