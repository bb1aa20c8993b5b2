"""For verifiers 0.4 (`verifiers.v1`), and for prime-rl, which trains on its tasksets: a method of a Task with
`@vf.reward` awaits `judge_reward`.

A completion without a verdict raises NoVerdict. The exception is recorded on the trace, and `retries` of the
environment try the rollout again. What still has an error is dropped by prime-rl: the rest of its group is trained on.
"""

from __future__ import annotations

from judge.languages.extraction import Completion
from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, accepted


async def judge_reward(
    completion: Completion, task: object, reward: CodeReward = accepted, *, prompt: Completion | None = None
) -> float:
    """The reward of one completion; `task` as in `trainer_adapter.integrations.core`. Raises NoVerdict."""
    return (await core.score_async(completion, task, reward, prompt=prompt)).reward
