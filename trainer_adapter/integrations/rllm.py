"""For rLLM: `JudgeEvaluator` scores the episodes of an agent flow; `code_reward_fn` is for its older agents.

The row is a task (`trainer_adapter.integrations.core`): `ground_truth`, `problem_id` or `tests`. A completion without a
verdict raises NoVerdict: rLLM runs the rollout again, `retry_limit` times, then ends or marks the episode as an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, accepted


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardOutput:
    """With the fields that rLLM reads of its RewardOutput and EvalOutput."""

    reward: float
    is_correct: bool
    metadata: dict[str, Any] = field(default_factory=dict)
    signals: list[Any] = field(default_factory=list)


def code_reward_fn(task_info: Any, action: Any, *, reward: CodeReward = accepted) -> RewardOutput:
    """Of one completion, a text or an Action. Raises NoVerdict."""
    prompt = task_info.get("prompt") if isinstance(task_info, Mapping) else None
    found = core.score(getattr(action, "action", action), task_info, reward, prompt=prompt)
    return RewardOutput(reward=found.reward, is_correct=found.accepted, metadata={"verdict": found.verdict})


@dataclass(frozen=True)
class JudgeEvaluator:
    reward: CodeReward = accepted

    def evaluate(self, task: Any, episode: Any) -> RewardOutput:
        """Of an Episode; `task` is a row, or a Task that holds one. Raises NoVerdict."""
        row = next((found for name in ("metadata", "data") if (found := getattr(task, name, None))), task)
        return code_reward_fn(row, _answer(episode), reward=self.reward)


def _answer(episode: Any) -> str:
    """As rLLM's own evaluators find it."""
    if "answer" in (getattr(episode, "artifacts", None) or {}):
        return str(episode.artifacts["answer"])
    last = episode.trajectories[-1] if episode.trajectories else None
    if last is None:
        return ""
    if getattr(last, "output", None):
        return str(last.output)
    return str(_read_response(last.steps[-1]) or "") if last.steps else ""


def _read_response(step: Any) -> Any:
    return getattr(step, "output", None) or getattr(step, "model_response", None)
