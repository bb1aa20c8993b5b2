"""For NeMo-RL: an environment for single-turn programs, to be made a Ray actor with `ray.remote(JudgeEnvironment)`.

The metadata of a sample (`extra_env_info`) is a task (`trainer_adapter.integrations.core`). NeMo-RL cannot leave a
sample out. A completion without a verdict is tried three times; then it gets the mean of the others of its prompt, so
that its advantage is 0. If none of them is in the same call, `step` raises NoVerdict, which ends the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from trainer_adapter.integrations import core
from trainer_adapter.reward_funcs import CodeReward, Kind, Settings

Messages = Sequence[Mapping[str, Any]]


class EnvironmentReturn(NamedTuple):
    """With the fields of NeMo-RL's, in their order."""

    observations: list[dict[str, str]]
    metadata: list[Any]
    next_stop_strings: list[None]
    rewards: Any
    terminateds: Any
    answers: list[str | None] | None


class JudgeEnvironment:
    """`config`: `kind` of reward (`accepted`), `shaping`, and under `settings` those of `reward_funcs.Settings`."""

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        config = config or {}
        settings = Settings(**config.get("settings", {}))
        self._reward = CodeReward(Kind(config.get("kind", "accepted")), settings, config.get("shaping", 0.1))

    def step(self, message_log_batch: Sequence[Messages], metadata: Sequence[Any]) -> EnvironmentReturn:
        """Raises NoVerdict."""
        import torch  # noqa: PLC0415

        completions = [
            [{"role": each["role"], "content": each["content"]} for each in log] for log in message_log_batch
        ]
        begun = [_before_answer(log) for log in completions]
        found = core.scores(completions, metadata, self._reward, prompts=begun, tries=core.TRIES)
        prompts = [str([each for each in log if each["role"] != "assistant"]) for log in completions]
        return EnvironmentReturn(
            observations=[{"role": "environment", "content": ""} for _ in found],
            metadata=list(metadata),
            next_stop_strings=[None] * len(found),
            rewards=torch.tensor(core.fill_lost(found, prompts)),
            terminateds=torch.ones(len(found), dtype=torch.bool),
            answers=[each.verdict if isinstance(each, core.Score) else None for each in found],
        )

    def global_post_process_and_metrics(self, batch: Any) -> tuple[Any, dict[str, float]]:
        return batch, {"reward": float(batch["total_reward"].mean())} if "total_reward" in batch else {}

    def shutdown(self) -> None:
        """Nothing: the judge of a process is closed when the process ends."""


def _before_answer(log: Messages) -> Messages:
    """The prompt of its last answer. NeMo-RL keeps the text of the chat template in the messages."""
    last = max((place for place, each in enumerate(log) if each["role"] == "assistant"), default=len(log))
    return log[:last]
