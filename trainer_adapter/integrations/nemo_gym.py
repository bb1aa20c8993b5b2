"""For NeMo Gym: the `verify` of a resources server (`examples/trainers/nemo_gym_app.py` is a whole one).

A completion without a verdict is tried three times. Then NoVerdict is raised: the server answers 500, and the rollout
is an error. With `mask_lost` the answer has `mask_sample`, for trainers that take such a rollout out of the loss; its
reward counts for nothing then, and the field must hold a number.
"""

from __future__ import annotations

from typing import Any

from judge.languages.extraction import Completion
from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, accepted


async def verify(
    completion: Completion, task: object, reward: CodeReward = accepted, *, mask_lost: bool = False
) -> dict[str, Any]:
    """The fields of a verify response: `reward`, `mask_sample` and `verdict`; `task` as in
    `trainer_adapter.integrations.core`.

    Raises:
        NoVerdict: there is no verdict, and it is not to be masked.
    """
    try:
        found = await core.score_async(completion, task, reward, tries=core.TRIES)
    except core.NoVerdict:
        if not mask_lost:
            raise
        return {"reward": 0.0, "mask_sample": True, "verdict": "IE"}
    return {"reward": found.reward, "mask_sample": False, "verdict": found.verdict}
