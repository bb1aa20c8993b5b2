"""TRL's arguments, as a configuration gives them: typed by TRL's own annotations, and refused where they would harm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from importlib.util import find_spec
from typing import Any, get_type_hints

import torch
from pydantic import TypeAdapter, ValidationError
from transformers import TrainingArguments
from trl import DPOConfig, GRPOConfig, SFTConfig

from judge import ConfigError
from trainer_adapter.training import model
from trainer_adapter.training.config import AnyConfig, Config, Quantization, explain, refuse_unknown

_CLASSES: Mapping[str, type[TrainingArguments]] = {"grpo": GRPOConfig, "sft": SFTConfig, "dpo": DPOConfig}
#: TrainingArguments that other sections set, or that must not be set.
_ELSEWHERE = {
    "output_dir": "run.directory",
    "report_to": "run.trackers",
    "logging_dir": "run.directory",
    "model_init_kwargs": "section model",
    "reward_weights": "reward.weights",
    "resume_from_checkpoint": "the option --resume",
}
#: Our defaults where they differ from TRL's: `trainer_adapter.health` needs the log of every step. A loss that is no
#: number must be in it; transformers would log the mean of the others instead.
_DEFAULTS: dict[str, Any] = {"logging_steps": 1, "logging_nan_inf_filter": False}


def arguments(config: AnyConfig, *, anywhere: bool = False) -> TrainingArguments:
    """TRL's configuration. `anywhere`: also for a machine without a GPU, on which nothing is to be trained.

    Raises:
        ConfigError: an argument does not exist, belongs elsewhere, or has the wrong type.
    """
    kind, taken = config.kind, _CLASSES[config.kind]
    given = _type_settings(config, taken)
    if isinstance(config, Config):
        given["reward_weights"] = None if config.reward.weights is None else list(config.reward.weights)
    try:
        found = taken(
            output_dir=str(config.checkpoints),
            report_to=[tracker.value for tracker in config.run.trackers] or "none",
            # TRL loads the model, unless it begins with an adapter.
            model_init_kwargs=model.arguments(config) if model.begun_with(config) is None else None,
            **(_DEFAULTS | given | ({"use_cpu": True} if anywhere and not torch.cuda.is_available() else {})),
        )
    except ValueError as error:
        raise ConfigError(f"{kind}: {error}") from error
    if isinstance(found, GRPOConfig):
        _refuse_losses(config, found)
    _refuse_reentrant(config, found)
    return found


def most_tokens(config: AnyConfig) -> int | None:
    """The limit of an example's length, without a TrainingArguments: a second one would take a trainer's state of
    accelerate away.

    Raises:
        ConfigError: as of `arguments`.
    """
    taken = _CLASSES[config.kind]
    found: int | None = _type_settings(config, taken).get("max_length", taken.max_length)
    return found


def _type_settings(config: AnyConfig, taken: type[TrainingArguments]) -> dict[str, Any]:
    kind, given = config.kind, dict(config.arguments)
    for name, home in _ELSEWHERE.items():
        if name in given:
            raise ConfigError(f"{kind}.{name} is set by {home}")
    try:
        refuse_unknown(given, [field.name for field in fields(taken) if field.name not in _ELSEWHERE])
    except ValueError as error:
        raise ConfigError(f"{kind}: {error}") from error
    if given.get("deepspeed") and find_spec("deepspeed") is None:
        raise ConfigError(f"{kind}.deepspeed: DeepSpeed is not installed: pip install deepspeed")
    types = get_type_hints(taken)
    for name, value in given.items():
        try:
            given[name] = TypeAdapter(types[name]).validate_python(value)
        except ValidationError as error:
            raise ConfigError(f"{kind}.{name}: {explain(error)}") from error
    return given


def _refuse_losses(config: AnyConfig, settings: GRPOConfig) -> None:
    """Raises ConfigError for ways of generating that would round what is trained."""
    if settings.use_vllm:
        _refuse_another_base(config, settings)
    if settings.use_vllm and isinstance(config, Config) and config.repair.turns > 1:
        raise ConfigError("repair.turns: with vLLM each process must generate as often as the others: set it to 1")
    if settings.use_transformers_continuous_batching and (settings.bf16 or settings.fp16):
        raise ConfigError(
            "grpo.use_transformers_continuous_batching: TRL casts the whole model to 16 bits for it and does not undo "
            "that, so that what is trained loses its small steps: set it to false, or grpo.bf16 and grpo.fp16"
        )


def _refuse_another_base(config: AnyConfig, settings: GRPOConfig) -> None:
    """Raises ConfigError if vLLM samples from another base than is trained on, and nothing makes up for it."""
    if config.model.quantization is Quantization.NONE:
        return
    if not settings.vllm_importance_sampling_correction:
        raise ConfigError(
            "grpo.vllm_importance_sampling_correction: vLLM's base is not bit for bit the quantised one that is "
            "trained on: leave it true"
        )
    if settings.vllm_mode == "colocate" and config.model.quantization is Quantization.INT8:
        raise ConfigError("model.quantization: vLLM in this process quantises to nf4 only: set nf4, or grpo.vllm_mode "
                          "to server")  # fmt: skip


def _refuse_reentrant(config: AnyConfig, settings: TrainingArguments) -> None:
    """Raises ConfigError for the way to recompute activations that breaks an adapter in several processes."""
    if (settings.activation_checkpointing_kwargs or {}).get("use_reentrant") and settings.world_size > 1:
        raise ConfigError(
            f"{config.kind}.activation_checkpointing_kwargs: with use_reentrant several processes cannot train an "
            "adapter ('Expected to mark a variable ready only once'): set use_reentrant to false; activations are "
            "recomputed all the same"
        )
