"""Gives prompts and completions the form in which TRL takes them."""

from __future__ import annotations

from typing import Any

from judge.common.errors import ConfigError
from trainer_adapter.rollouts.row import Rollout


class Prompts:
    """TRL wants a completion as a prompt is: text beside text, messages beside messages; and one kind in a data set."""

    def __init__(self) -> None:
        self._first: Rollout | None = None

    def beside(self, rollout: Rollout, completion: str) -> Any:
        """The completion, of the kind of the rollout's prompt.

        Raises:
            ConfigError: this prompt is of another kind than an earlier one.
        """
        self._first = self._first or rollout
        if isinstance(self._first.prompt, str) != isinstance(rollout.prompt, str):
            raise ConfigError(
                f"the prompts of {self._first.id} and {rollout.id} are of two kinds, text and messages, of which no "
                "data set can be made; select from two files"
            )
        return completion if isinstance(rollout.prompt, str) else [{"role": "assistant", "content": completion}]
