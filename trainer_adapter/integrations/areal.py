"""For AReaL: `workflow="trainer_adapter.integrations.areal.JudgeWorkflow"`, with `gconfig` and `tokenizer` as its
`workflow_kwargs`.

A row of the data set is a task (`trainer_adapter.integrations.core`) that has `messages`, too. AReaL calls other reward
functions in processes of its own, and makes a time-out a 0; this workflow awaits the judge instead. A completion
without a verdict is tried three times. Then NoVerdict fails its group, and AReaL draws another prompt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, accepted

if TYPE_CHECKING:
    RLVRWorkflow = Any
else:
    try:
        from areal.workflow.rlvr import RLVRWorkflow
    except ImportError:
        RLVRWorkflow = object


class JudgeWorkflow(RLVRWorkflow):
    """Another reward: a subclass with another `reward`."""

    reward: CodeReward = accepted

    def __init__(self, gconfig: Any, tokenizer: Any, **how: Any) -> None:
        super().__init__(_never_called, gconfig, tokenizer, **how)

    async def _compute_rewards(self, resp: Any, prompt_str: str, task_data: dict[str, Any]) -> float:
        """Raises NoVerdict."""
        completion = self.tokenizer.decode(resp.output_tokens)
        return (await core.score_async(completion, task_data, self.reward, prompt=prompt_str, tries=core.TRIES)).reward


def _never_called(*_: object, **__: object) -> float:
    raise AssertionError
