"""GRPO with turns of repair: a program that does not compile, or fails on a sample, goes back to the model with the
reason, and the reward is for its last answer.

    prompt ──► answer ──► message about it ──► answer ──► … ──► reward
               trained    masked out           trained

A completion is then a list of messages, as after TRL's tool calls: assistant, user, assistant. TRL's own way to several
turns, `environment_factory`, goes on only where the model calls a tool; this one needs no tool calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from judge import ConfigError
from trainer_adapter.training.objectives import Objectives

#: Completions and their rows go in, what to say about each comes out; None: nothing.
Critic = Callable[[Sequence[Any], Sequence[Mapping[str, Any]]], Sequence[str | None]]


def says_nothing(completions: Sequence[Any], rows: Sequence[Mapping[str, Any]]) -> Sequence[str | None]:
    return [None] * len(completions)


class RepairTurns(Objectives):
    #: Answers to a prompt, at most.
    turns = 1
    critic: Critic = staticmethod(says_nothing)
    _rows: Sequence[Mapping[str, Any]] = ()

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        self._rows = inputs
        return super()._generate_and_score_completions(inputs)

    def _generate(self, prompts: list[Any]) -> tuple[Any, ...]:
        prompt_ids, ids, mask, completions, logprobs, *others = super()._generate(prompts)
        if self.turns > 1:
            if isinstance(completions[0], str):
                raise ConfigError("repair.turns: prompts must be messages, not text")
            mask = mask or [[1] * len(each) for each in ids]
            left = list(range(len(ids)))
            for _ in range(self.turns - 1):
                left = self._repair(left, prompt_ids, ids, mask, completions, logprobs)
            repaired = sum(len(each) > 1 for each in completions) / len(completions)
            self._metrics["train" if self.model.training else "eval"]["repair/rate"].append(repaired)
        return (prompt_ids, ids, mask, completions, logprobs, *others)

    def _repair(
        self, left: list[int], prompt_ids: Any, ids: Any, mask: Any, completions: Any, logprobs: Any
    ) -> list[int]:
        """Give those of `left` another turn that need one and have room for it. Returns which had one."""
        ended = [row for row in left if ids[row] and ids[row][-1] in self.eos_token_ids]
        said = self.critic([completions[row] for row in ended], [self._rows[row] for row in ended])
        messages = {row: self._message(text) for row, text in zip(ended, said, strict=True) if text}
        longest = self.model.config.max_position_embeddings - self.max_completion_length
        turn = [
            row
            for row, (_, added) in messages.items()
            if len(ids[row]) + len(added) < self.max_completion_length and len(prompt_ids[row]) <= longest
        ]
        if not turn:
            return []
        asked = [[*prompt_ids[row], *ids[row], *messages[row][1]] for row in turn]
        answers, chances = self._generate_single_turn(asked, None, {}, 1)
        for place, row in enumerate(turn):
            message, added = messages[row]
            answer = list(answers[place])[: self.max_completion_length - len(ids[row]) - len(added)]
            ids[row] = [*ids[row], *added, *answer]
            mask[row] = [*mask[row], *[0] * len(added), *[1] * len(answer)]
            if logprobs is not None:
                logprobs[row] = [*logprobs[row], *[0.0] * len(added), *chances[place][: len(answer)]]
            text = self.processing_class.decode(answer, skip_special_tokens=True)
            completions[row] = [*completions[row], message, {"role": "assistant", "content": text}]
        return turn

    def _message(self, text: str) -> tuple[dict[str, str], list[int]]:
        """The message, and its tokens: what the template puts between the end of an answer and the next.

        Raises:
            ConfigError: the template ends an answer without the token that ends one.
        """
        talk = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "."}]
        message = {"role": "user", "content": text}
        before, whole = (
            self.processing_class.apply_chat_template(
                messages,
                add_generation_prompt=ask,
                tokenize=True,
                return_dict=False,
                chat_template=self.chat_template,
                **self.chat_template_kwargs,
            )
            for messages, ask in ((talk, False), ([*talk, message], True))
        )
        ends = [place for place, token in enumerate(before) if token in self.eos_token_ids]
        if not ends or whole[: ends[-1] + 1] != before[: ends[-1] + 1]:
            raise ConfigError("repair.turns: the chat template does not end an answer with the end-of-text token")
        return message, list(whole[ends[-1] + 1 :])
