"""Samples with a model in this process, by transformers' `generate`.

Each row of a batch draws its tokens with dice of its own (the Gumbel-max trick: the largest of logits plus noise is a
draw from their softmax). So the seed of a request decides its completion, whatever else is in the batch; but for logits
that differ in their last digits, as they do on other hardware or beside longer prompts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from transformers import GenerationConfig, LogitsProcessor, LogitsProcessorList, PreTrainedTokenizerBase

from trainer_adapter.rollouts.making.requests import How, SampledText, SampleRequest, batches


def end_tokens(generation: GenerationConfig, tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """The tokens at which a completion ends: the tokenizer's, and all that the model names, as for TRL."""
    theirs = generation.eos_token_id
    ends = {tokenizer.eos_token_id, *(theirs if isinstance(theirs, list) else [theirs])}
    return sorted(token for token in ends if token is not None)


class LocalSampler:
    """Samples `batch_size` completions at a time."""

    def __init__(self, model: Any, tokenizer: PreTrainedTokenizerBase, how: How, batch_size: int = 16) -> None:
        self._model, self._tokenizer, self._how, self._batch_size = model, tokenizer, how, batch_size
        self._ends = end_tokens(model.generation_config, tokenizer)

    def sample(self, requests: Iterable[SampleRequest]) -> Iterator[tuple[SampleRequest, SampledText]]:
        for batch in batches(requests, self._batch_size):
            yield from zip(batch, self._texts(batch), strict=True)

    def _texts(self, batch: Sequence[SampleRequest]) -> list[SampledText]:
        words = [
            self._tokenizer.apply_chat_template(request.task.prompt, add_generation_prompt=True, tokenize=False)
            for request in batch
        ]
        with _padded_left(self._tokenizer):
            given = self._tokenizer(words, add_special_tokens=False, padding=True, return_tensors="pt")
        given = given.to(self._model.device)
        with torch.no_grad(), _not_training(self._model):
            made = self._model.generate(
                input_ids=given["input_ids"],
                attention_mask=given["attention_mask"],
                generation_config=self._config(),
                logits_processor=self._dice(batch),
            )
        return [self._text(row) for row in made[:, given["input_ids"].shape[1] :].tolist()]

    def _config(self) -> GenerationConfig:
        """Greedy: the processor has thrown the dice. Nothing of the model's own settings but its end."""
        return GenerationConfig(
            max_new_tokens=self._how.max_tokens,
            do_sample=False,
            num_beams=1,
            repetition_penalty=1.0,
            no_repeat_ngram_size=0,
            eos_token_id=self._ends,
            pad_token_id=self._tokenizer.pad_token_id,
        )

    def _dice(self, batch: Sequence[SampleRequest]) -> LogitsProcessorList:
        if not self._how.temperature:
            return LogitsProcessorList()
        seeds = [request.seed(self._how.seed) for request in batch]
        return LogitsProcessorList([_Dice(seeds, self._how, self._model.device)])

    def _text(self, tokens: list[int]) -> SampledText:
        end = next((place for place, token in enumerate(tokens) if token in self._ends), None)
        own = tokens if end is None else tokens[:end]
        return SampledText(
            text=self._tokenizer.decode(own, skip_special_tokens=True),
            tokens=len(own) if end is None else end + 1,
            truncated=end is None,
        )


class _Dice(LogitsProcessor):  # type: ignore[misc]
    def __init__(self, seeds: Sequence[int], how: How, device: torch.device) -> None:
        self._how = how
        self._dice = [torch.Generator(device).manual_seed(seed) for seed in seeds]

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        logits = scores.float() / self._how.temperature
        if self._how.top_p < 1:
            ordered, places = logits.sort(dim=-1, descending=True)
            shares = ordered.softmax(dim=-1)
            beyond = shares.cumsum(dim=-1) - shares >= self._how.top_p  # never the first
            logits = logits.masked_fill(beyond.scatter(-1, places, beyond), float("-inf"))
        noise = torch.empty_like(logits)
        for row, dice in zip(noise, self._dice, strict=True):
            row.exponential_(generator=dice)
        return logits - noise.log()


@contextmanager
def _padded_left(tokenizer: PreTrainedTokenizerBase) -> Iterator[None]:
    before = tokenizer.padding_side
    tokenizer.padding_side = "left"
    try:
        yield
    finally:
        tokenizer.padding_side = before


@contextmanager
def _not_training(model: Any) -> Iterator[None]:
    """Without dropout."""
    before = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(before)
