"""For verifiers, and for prime-rl, which trains on its environments.

    verifiers 0.4 (`verifiers.v1`): call `judge_reward` in a method with `@vf.reward`.
    verifiers 0.1: `vf.Rubric(funcs=[rubric_reward])`. `info` of a row is a task, or else its `answer` is
                   (`trainer_adapter.integrations.core`).

A completion without a verdict is an error of its rollout. verifiers 0.4 records an exception on the trace, and prime-rl
drops the rollout. A Rubric of 0.1 makes an exception a 0; so `rubric_reward` raises nothing, records an InfraError in
the state, for which verifiers tries again (`max_retries`) and prime-rl drops the rollout, and gives NaN.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, MutableMapping
from typing import Any

from judge.languages.extraction import Completion
from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, accepted

_log = logging.getLogger(__name__)


async def judge_reward(completion: Completion, task: object, reward: CodeReward = accepted) -> float:
    """The reward of one completion. Raises NoVerdict."""
    return (await core.score_async(completion, task, reward)).reward


async def rubric_reward(completion: Completion, answer: object, info: object, state: MutableMapping[str, Any]) -> float:
    """A reward function for a Rubric of verifiers 0.1: `accepted`."""
    return await in_rubric(completion, answer, info, state, accepted)


async def in_rubric(
    completion: Completion, answer: object, info: object, state: MutableMapping[str, Any], reward: CodeReward
) -> float:
    """What a reward function for a Rubric returns that pays otherwise. Raises nothing for a lost verdict."""
    try:
        return await judge_reward(completion, _task(answer, info), reward)
    except core.NoVerdict as error:
        _log.error("%s", error)
        import verifiers  # noqa: PLC0415

        state["error"] = verifiers.InfraError(str(error))
        return math.nan


def _task(answer: object, info: object) -> object:
    named = isinstance(info, Mapping) and any(name in info for name in ("problem_id", "tests", "ground_truth"))
    if named or not isinstance(info, Mapping):
        return info or answer
    return {"ground_truth": answer, "language": info.get("language")}
