"""For ART: `return await judge_trajectory(trajectory, task)` at the end of a rollout; `task` as in
`trainer_adapter.integrations.core`.

A completion without a verdict is tried three times, and then raises NoVerdict. ART ends the gathering, or, where
`max_exceptions` allows, trains on the group's other trajectories.
"""

from __future__ import annotations

from typing import Any

from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, accepted


async def judge_trajectory(trajectory: Any, task: object, reward: CodeReward = accepted) -> Any:
    """The trajectory, rewarded for its last message. Raises NoVerdict."""
    *prompt, answer = trajectory.messages()
    found = await core.score_async([answer], task, reward, prompt=prompt, tries=core.TRIES)
    trajectory.reward = found.reward
    trajectory.metrics["accepted"] = float(found.accepted)
    trajectory.metadata["verdict"] = found.verdict
    return trajectory
