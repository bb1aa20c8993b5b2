"""For open-instruct: import this module beside `open_instruct.ground_truth_utils`; the column `dataset` says `judge`.

`ground_truth` of a row is a task (`trainer_adapter.integrations.core`) as text. open-instruct's own `CodeVerifier`
makes each failure of its server a 0. `JudgeVerifier` asks no server: a completion without a verdict is tried three
times, and then raises NoVerdict, which ends the run. `raise_lost` is for its own verifier, with `judge serve`.
"""

from __future__ import annotations

import time
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


class Lost(BaseException):
    """A judgement that is none. No Exception: `CodeVerifier` makes 0 of those."""


def raise_lost() -> None:
    """Have `CodeVerifier` raise Lost, which ends the run, where its server gives no verdict, three times."""
    import requests  # noqa: PLC0415 - open-instruct needs it, not we
    from open_instruct.ground_truth_utils import CodeVerifier  # noqa: PLC0415

    class Session(requests.Session):
        def post(self, *given: Any, **named: Any) -> requests.Response:
            why = ""
            for tried in range(core.TRIES):
                time.sleep(core.PAUSE_S if tried else 0)
                try:
                    answer = super().post(*given, **named)
                except requests.RequestException as error:
                    why = str(error)
                    continue
                if answer.ok:
                    return answer
                why = f"{answer.status_code}: {answer.text[:200]}"
            raise Lost(f"not judged: {why}")

    CodeVerifier._session_pool = Session()
