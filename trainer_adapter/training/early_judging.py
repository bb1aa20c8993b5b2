"""GRPO whose programs are judged while the trainer is still busy with their batch.

    sampling        ─────────────────────────────►│ reference model ──►│ rewards
    judging            └ first that ended ────────────────────────────►│ what is left

TRL calls the reward functions last. Here the judge gets a program as soon as its completion ends, while transformers
samples the longer ones of the batch. Completions that are cut, those of vLLM, and those with turns of repair, which may
get another answer, are judged from when all of the batch have ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from torch import Tensor
from transformers.generation import BaseStreamer

from trainer_adapter.rewards.judged_step import Asked, Columns, begin
from trainer_adapter.rewards.shared_judge import Settings, shared_judge
from trainer_adapter.training.graphed_decoding import use_graphs
from trainer_adapter.training.repair import RepairTurns

_COLUMNS = ("problem_id", "tests", "language")


class EarlyJudging(RepairTurns):
    #: How the reward functions judge; None: none of them does.
    judging: Settings | None = None
    _asked: Asked | None = None

    def _generate(self, prompts: list[Any]) -> tuple[Any, ...]:
        if self.judging is None:
            return super()._generate(prompts)
        self._asked = asked = Asked(shared_judge(self.judging))
        found = super()._generate(prompts)
        self._asked, rows = None, self._rows
        columns = {name: [row[name] for row in rows] for name in _COLUMNS if name in rows[0]}
        begin(asked, Columns(completions=found[3], prompts=prompts, **columns))
        return found

    def _generate_single_turn(self, prompt_ids: list[list[int]], *others: Any, **named: Any) -> Any:
        if self.use_vllm or self.args.use_transformers_continuous_batching:
            return super()._generate_single_turn(prompt_ids, *others, **named)
        model = self.accelerator.unwrap_model(self.model_wrapped)
        with ExitStack() as stack:
            stack.enter_context(use_graphs(model))
            if self._asked is not None and self.turns == 1:
                ended = partial(self._on_ended, self._asked)
                stack.enter_context(_streaming(model, Endings(self.eos_token_ids, ended)))
            return super()._generate_single_turn(prompt_ids, *others, **named)

    def _on_ended(self, asked: Asked, place: int, ids: list[int]) -> None:
        text = self.processing_class.decode(ids, skip_special_tokens=True)
        row = self._rows[place]
        completion = text if isinstance(row["prompt"], str) else [{"role": "assistant", "content": text}]
        asked.row(completion, *(row.get(name) for name in (*_COLUMNS, "prompt")))


class Endings(BaseStreamer):  # type: ignore[misc, unused-ignore]
    """Is given each new token of all sequences of a batch by `generate`, and calls back for each sequence that ends,
    with its place in the batch and its tokens."""

    def __init__(self, ends: list[int], call: Callable[[int, list[int]], None]) -> None:
        self._ends, self._call = frozenset(ends), call
        #: Of each sequence that has not ended; None: the prompts are still to come.
        self._open: dict[int, list[int]] | None = None

    def put(self, value: Tensor) -> None:
        if self._open is None:
            self._open = {place: [] for place in range(len(value))}
            return
        tokens = value.tolist()
        for place, ids in list(self._open.items()):
            ids.append(tokens[place])
            if tokens[place] in self._ends:
                del self._open[place]
                self._call(place, ids)

    def end(self) -> None:
        pass


@contextmanager
def _streaming(model: Any, streamer: BaseStreamer) -> Iterator[None]:
    """TRL takes no streamer, so that the model adds it."""
    model.generate = partial(model.generate, streamer=streamer)
    try:
        yield
    finally:
        del model.generate
