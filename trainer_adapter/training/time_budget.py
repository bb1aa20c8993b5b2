"""Stops a run with a checkpoint before its time is over, so that no limit from outside kills it between two."""

from __future__ import annotations

import time
from typing import Any

import psutil
from accelerate.utils import broadcast_object_list
from transformers import TrainerCallback
from transformers.trainer_utils import SaveStrategy


class OutOfTime(KeyboardInterrupt):
    """The time budget is spent. Like Ctrl-C it ends the process with its clearing up, and with exit code 130."""


class TimeBudget(TrainerCallback):  # type: ignore[misc]
    """Ends training when there is no time left for another step and its checkpoint. Each is taken to last as long as
    the longest time between two steps so far, with all that was saved and evaluated between them."""

    def __init__(self, hours: float | None) -> None:
        """`hours` from the start of this process; None: without end."""
        self.spent = False
        self._ends = None if hours is None else psutil.Process().create_time() + 3600 * hours
        self._last: float | None = None
        self._longest_s = 0.0

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._last = time.time()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._ends is None:
            return
        now = time.time()
        self._longest_s = max(self._longest_s, now - (self._last or now))
        self._last = now
        over = [now + 2 * self._longest_s > self._ends]
        broadcast_object_list(over)  # all processes end in the same step
        if over[0] and state.global_step < state.max_steps:
            self.spent = control.should_training_stop = True
            control.should_save = args.save_strategy != SaveStrategy.NO
