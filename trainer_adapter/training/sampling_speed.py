"""Measures how fast a run samples, before it begins, by its own model on this machine: tokens a second of as many
completions as a step samples together, and of four times as many.

On a GPU sampling is bound by starts of kernels, so that the larger batch costs little more time; what it costs is
memory, which is estimated.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

import torch
from transformers import GenerationConfig

from trainer_adapter.training.checkpoints import SafeSaving
from trainer_adapter.training.config import Config
from trainer_adapter.training.gpu_memory import estimate
from trainer_adapter.training.precheck import Precheck

#: The time of a token is that of the longer completions less that of the shorter ones: prompts are in both.
_SHORT, _LONG = 4, 36
_TIMES = 4
#: A batch that takes longer is not measured four times as large: so it is on a CPU.
_MOST_S = 20.0
#: What a larger batch must bring to be named.
_WORTH = 1.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    rows: int
    #: None: it was not measured.
    tokens_per_second: float | None

    def __str__(self) -> str:
        speed = "not measured" if self.tokens_per_second is None else f"{self.tokens_per_second:.0f} tokens a second"
        return f"{self.rows} completions together: {speed}"


def check_sampling(config: Config, trainer: SafeSaving) -> Precheck:
    """Tokens a second at both batch sizes, and which of them fits into the GPU's memory."""
    if trainer.args.use_vllm or trainer.args.use_transformers_continuous_batching:
        return Precheck(name="sampling", ok=None, detail="not measured: whoever samples makes batches of its own")
    usual = trainer.args.per_device_train_batch_size * (trainer.args.steps_per_generation or 1)
    prompts = [row["prompt"] for row in islice(cycle(trainer.train_dataset), usual * _TIMES)]
    try:
        speeds = _measure(trainer, prompts, usual)
    except torch.OutOfMemoryError as error:
        why = str(error).partition(". ")[0]
        remedy = "lower grpo.per_device_train_batch_size, or grpo.max_completion_length"
        return Precheck(name="sampling", ok=False, detail=f"{usual} completions together: {why}", remedy=remedy)
    said = "; ".join(map(str, speeds))
    return Precheck(name="sampling", ok=True, detail=f"{said}; {_choose(config, trainer, *speeds)}")


def _measure(trainer: SafeSaving, prompts: list[Any], usual: int) -> tuple[Speed, Speed]:
    """Raises torch.OutOfMemoryError if not even the usual batch fits."""
    _sample(trainer, prompts[:usual], _SHORT)  # what is made at first use
    began_s = time.monotonic()
    smaller = Speed(rows=usual, tokens_per_second=_tokens_per_second(trainer, prompts[:usual]))
    larger = Speed(rows=len(prompts), tokens_per_second=None)
    if time.monotonic() - began_s > _MOST_S:
        return smaller, larger
    try:
        return smaller, Speed(rows=len(prompts), tokens_per_second=_tokens_per_second(trainer, prompts))
    except torch.OutOfMemoryError:
        return smaller, larger


def _tokens_per_second(trainer: SafeSaving, prompts: list[Any]) -> float:
    short_s, long_s = (_sample(trainer, prompts, tokens) for tokens in (_SHORT, _LONG))
    if long_s <= short_s:  # other work on the machine
        return len(prompts) * _LONG / long_s
    return len(prompts) * (_LONG - _SHORT) / (long_s - short_s)


def _sample(trainer: SafeSaving, prompts: list[Any], tokens: int) -> float:
    """Seconds."""
    ids, images, fields = trainer._tokenize_prompts(prompts)
    began_s = time.monotonic()
    with _exactly(trainer, tokens):
        trainer._generate_single_turn(ids, images, fields, num_generations=1)
    return time.monotonic() - began_s


@contextmanager
def _exactly(trainer: SafeSaving, tokens: int) -> Iterator[None]:
    """No completion ends earlier or later."""
    given, settings = trainer.generation_kwargs, trainer.generation_config
    trainer.generation_kwargs = given | {"max_new_tokens": tokens, "min_new_tokens": tokens}
    trainer.generation_config = GenerationConfig(**trainer.generation_kwargs, disable_compile=True)
    try:
        yield
    finally:
        trainer.generation_kwargs, trainer.generation_config = given, settings


def _choose(config: Config, trainer: SafeSaving, smaller: Speed, larger: Speed) -> str:
    """Which batch to take."""
    if not torch.cuda.is_available():
        return "there is no GPU here: its speed and its memory are not known"
    whole = torch.cuda.get_device_properties(0).total_memory
    needed = estimate(config, trainer.args, sampled_times=_TIMES).total_bytes
    sizes = f"about {needed / 2**30:.1f} of {whole / 2**30:.1f} GiB"
    if larger.tokens_per_second is None or needed > whole:
        return f"{smaller.rows} fit, {larger.rows} do not ({sizes})"
    gain = larger.tokens_per_second / (smaller.tokens_per_second or 1.0)
    if gain < _WORTH:
        return f"both fit ({sizes}), and {larger.rows} bring nothing"
    accumulated = trainer.args.gradient_accumulation_steps * _TIMES
    return (
        f"both fit ({sizes}), and {larger.rows} give {gain:.1f} times the tokens: steps of so many by "
        f"grpo.gradient_accumulation_steps={accumulated}"
    )
