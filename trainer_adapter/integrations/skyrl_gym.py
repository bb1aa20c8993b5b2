"""For SkyRL: `skyrl_gym.register(id="judge", entry_point="trainer_adapter.integrations.skyrl_gym:JudgeEnv")`.

`reward_spec.ground_truth` of a row is a task (`trainer_adapter.integrations.core`). SkyRL cannot leave a trajectory
out: a completion without a verdict is tried three times, and then raises NoVerdict, which ends the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, accepted

if TYPE_CHECKING:
    BaseTextEnv = object
else:
    try:
        from skyrl_gym.envs.base_text_env import BaseTextEnv
    except ImportError:
        BaseTextEnv = object


class JudgeEnv(BaseTextEnv):
    """The completion is judged, and the episode ends; with `max_turns` above 1, a program that does not compile or
    fails on a sample goes back to the model first. Other rewards: a subclass with another `reward`."""

    reward: CodeReward = accepted

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] = {}) -> None:
        super().__init__()
        self.turns, self.max_turns = 0, extras.get("max_turns", 1)
        self._task = extras.get("reward_spec", extras)
        self._verdict = ""
        self._prompt: Any = None

    def init(self, prompt: Any) -> tuple[Any, dict[str, Any]]:
        """SkyRL hands over the messages of the prompt."""
        self._prompt = prompt
        return prompt, {}

    def step(self, action: str) -> dict[str, Any]:
        """Raises NoVerdict."""
        self.turns += 1
        said = self._explain(action) if self.turns < self.max_turns else None
        if said is not None:
            return {"observations": [{"role": "user", "content": said}], "reward": 0.0, "done": False, "metadata": {}}
        found = core.score(action, self._task, self.reward, prompt=self._prompt, tries=core.TRIES)
        self._verdict = found.verdict
        metadata = {"verdict": found.verdict, "failing_test": found.failing_test, "detail": found.detail}
        return {"observations": [], "reward": found.reward, "done": True, "metadata": metadata}

    def _explain(self, action: str) -> str | None:
        return core.feedback(action, self._task, self.reward, prompt=self._prompt)

    def get_metrics(self) -> dict[str, Any]:
        return {"accepted": float(self._verdict == "AC")}
