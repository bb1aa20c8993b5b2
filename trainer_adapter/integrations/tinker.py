"""For the Tinker cookbook: `JudgeEnv` in a `ProblemGroupBuilder`, in place of its `ProblemEnv`s.

A completion without a verdict is tried three times. Then `step` raises NoVerdict: the strategy `FailFast` ends the run,
`RetryOnFailure` samples again and then skips the group, `MinViableGroup` trains on the rest of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, accepted

if TYPE_CHECKING:
    ProblemEnv = Any
else:
    try:
        from tinker_cookbook.rl.problem_env import ProblemEnv
    except ImportError:
        ProblemEnv = object


class JudgeEnv(ProblemEnv):
    """`task`: as in `trainer_adapter.integrations.core`. Another reward: a subclass with another `reward`."""

    reward: CodeReward = accepted

    def __init__(self, renderer: Any, question: str, task: object, **how: Any) -> None:
        super().__init__(renderer, **how)
        self._question, self._task, self._paid = question, task, 0.0

    async def step(self, action: Any, *, extra: Any = None) -> Any:
        """Raises NoVerdict."""
        from tinker_cookbook.renderers import get_text_content  # noqa: PLC0415 - not installed with us

        message, _ = self.renderer.parse_response(action)
        found = await core.score_async(get_text_content(message), self._task, self.reward, tries=core.TRIES)
        self._paid = found.reward
        return await super().step(action, extra=extra)

    def get_question(self) -> str:
        return self._question

    def check_answer(self, sample_str: str) -> float:
        """What `step` found: this is called in the event loop, and must not wait."""
        return self._paid

    def check_format(self, sample_str: str) -> bool:
        return True

    def get_reference_answer(self) -> str:
        return ""
