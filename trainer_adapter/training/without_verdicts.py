"""Ends a run whose completions get no verdict, or no rating, for several steps on end: it would train on nothing, and
end with exit code 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from accelerate.utils import broadcast_object_list
from transformers import TrainerCallback

from judge import JudgeError
from trainer_adapter.health.symptoms import JUDGE_LOST, find_rater_lost


class NothingJudged(JudgeError):
    """Nothing was judged, or rated, for as many steps as `run.steps_without_verdicts` allows."""


class WithoutVerdicts(TrainerCallback):  # type: ignore[misc]
    """Stops training, and says so afterwards by `check`."""

    def __init__(self, most_steps: int | None) -> None:
        """None: whatever fails, training goes on."""
        self._failed: str | None = None
        self._most = most_steps
        self._judged_step = 0

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._judged_step = state.global_step

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **kwargs: Any) -> None:
        if self._most is None or not logs or "reward" not in logs:
            return
        lost = [_find_cause(logs)]
        broadcast_object_list(lost)  # all processes end in the same step
        if lost[0] is None:
            self._judged_step = state.global_step
        elif state.global_step - self._judged_step >= self._most:
            control.should_training_stop = True
            self._failed = f"{lost[0]} for {state.global_step - self._judged_step} step(s) on end"

    def check(self) -> None:
        """
        Raises:
            NothingJudged: training was stopped.
        """
        if self._failed is not None:
            raise NothingJudged(
                f"{self._failed}, so that nothing was learnt: the error logged last says why, and `judge-train doctor` "
                "looks for the cause; run.steps_without_verdicts says after how many steps a run ends so"
            )


def _find_cause(logs: Mapping[str, float]) -> str | None:
    if logs.get(JUDGE_LOST) == 1:
        return "no completion could be judged"
    rater = find_rater_lost(logs)
    return None if rater is None else f"{rater} rated no answer"
