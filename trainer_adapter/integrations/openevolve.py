"""For OpenEvolve: the evaluation file says `evaluate = make_evaluator("my-problem", language="python3")`.

OpenEvolve makes a program of each exception of an evaluator a program with metrics, and of all metrics a score. So a
program without a verdict, after three tries, ends its iteration instead: no program is stored for it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, ratio


class LostEvaluation(BaseException):
    """No verdict. OpenEvolve's evaluator turns each Exception into metrics, so this is none; the process that started
    the iteration gets it as a `core.NoVerdict`, logs it and goes on."""

    def __reduce__(self) -> tuple[type[core.NoVerdict], tuple[Any, ...]]:
        return core.NoVerdict, self.args


def make_evaluator(problem: str, *, language: str, reward: CodeReward = ratio) -> Callable[[str], dict[str, float]]:
    """A function from the path of a program to its metrics: `combined_score` is what `reward` pays, more is better;
    `raw_score` is in the problem's own units, where it has any; `accepted` is 1 or 0.

    Raises:
        LostEvaluation: when called, if the program could not be judged.
    """

    def evaluate(program_path: str) -> dict[str, float]:
        try:
            paid, graded = core.grade_program(Path(program_path).read_bytes(), problem, reward, language=language)
        except core.NoVerdict as error:
            raise LostEvaluation(str(error)) from error
        metrics = {"combined_score": paid, "accepted": float(graded.accepted)}
        return metrics if graded.raw_score is None else metrics | {"raw_score": graded.raw_score}

    return evaluate
