"""For open-instruct: import this module beside `open_instruct.ground_truth_utils`; the column `dataset` says `judge`.

`ground_truth` of a row is a task (`trainer_adapter.integrations.core`) as text. open-instruct's own `CodeVerifier`
makes each failure of its server a 0. This verifier asks no server: a completion without a verdict is tried three times,
and then raises NoVerdict, which ends the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, accepted

if TYPE_CHECKING:
    VerifierFunction = Any
    VerificationResult: Any
else:
    try:
        from open_instruct.ground_truth_utils import VerificationResult, VerifierFunction
    except ImportError:
        VerificationResult, VerifierFunction = dict, object


class JudgeVerifier(VerifierFunction):
    """Its `build_all_verifiers` finds it. Another reward: the attribute `reward`."""

    reward: CodeReward = accepted

    def __init__(self, verifier_config: Any = None) -> None:
        super().__init__("judge", verifier_config=verifier_config)

    async def async_call(
        self,
        tokenized_prediction: Any,
        prediction: str,
        label: Any,
        query: str | None = None,
        rollout_state: Any = None,
    ) -> Any:
        """Raises NoVerdict."""
        found = await core.score_async(prediction, label, self.reward, prompt=query, tries=core.TRIES)
        return VerificationResult(score=found.reward)

    def __call__(
        self, tokenized_prediction: Any, prediction: str, label: Any, query: str | None = None, _: Any = None
    ) -> Any:
        """Raises NoVerdict."""
        return VerificationResult(
            score=core.score(prediction, label, self.reward, prompt=query, tries=core.TRIES).reward
        )
