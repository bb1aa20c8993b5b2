"""Trains an adapter by a configuration: `judge-train grpo`. TRL trains, PEFT adapts, datasets loads, the judge judges.
This module puts them together, and refuses what would fail silently.

    Config ──► surroundings (caches, offline trackers; before Hugging Face is imported)
           ──► rows ─────────────┐
           ──► reward functions ─┼──► Trainer: TRL's, with checkpoints that survive a full disk ──► train, save, export
           ──► model, adapter ───┘
"""

from __future__ import annotations

import logging
import os
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, get_type_hints

import torch
from datasets import Dataset
from peft import LoraConfig, PeftConfig, TinyLoraConfig
from pydantic import TypeAdapter, ValidationError
from transformers import AutoTokenizer, BitsAndBytesConfig, PreTrainedTokenizerBase, PreTrainedTokenizerFast
from trl import GRPOConfig

from judge import ConfigError
from trainer_adapter import reward_funcs
from trainer_adapter.data.loading import Loaded, load
from trainer_adapter.health.watch import Health
from trainer_adapter.rewards import repair
from trainer_adapter.training import named_rewards, record
from trainer_adapter.training.checkpoints import SafeSaving, WholeSteps, complaint_about, keep, latest
from trainer_adapter.training.config import Config, Full, Lora, Quantization, TinyLora, explain, refuse_unknown
from trainer_adapter.training.epoch_order import EpochOrder
from trainer_adapter.training.repair import RepairTurns
from trainer_adapter.training.tinylora import KeepFloat32, export_lora

_log = logging.getLogger(__name__)


#: Arguments of GRPOConfig that other sections set, or that must not be set.
_ELSEWHERE = {
    "output_dir": "run.directory",
    "report_to": "run.trackers",
    "logging_dir": "run.directory",
    "model_init_kwargs": "section model",
    "reward_weights": "reward.weights",
    "resume_from_checkpoint": "judge-train grpo --resume",
}
#: Our defaults where they differ from TRL's: `trainer_adapter.health` needs the log of every step.
_DEFAULTS: dict[str, Any] = {"logging_steps": 1}
#: Text that tokenizers split differently: digits, indentation, blank lines, Chinese.
_PROBE = "P1001\n\n    for (int i = 0; i < 1234567; i++) cout << a[i] << '\\n';\n读入 10 个整数，输出它们的和。"


def arguments(config: Config, *, anywhere: bool = False) -> GRPOConfig:
    """TRL's configuration, typed by TRL's own annotations. `anywhere`: also for a machine without a GPU, on which
    nothing is to be trained.

    Raises:
        ConfigError: an argument does not exist, belongs elsewhere, or has the wrong type.
    """
    given = dict(config.grpo)
    for name, home in _ELSEWHERE.items():
        if name in given:
            raise ConfigError(f"grpo.{name} is set by {home}")
    try:
        refuse_unknown(given, [field.name for field in fields(GRPOConfig) if field.name not in _ELSEWHERE])
    except ValueError as error:
        raise ConfigError(f"grpo: {error}") from error
    types = get_type_hints(GRPOConfig)
    for name, value in given.items():
        try:
            given[name] = TypeAdapter(types[name]).validate_python(value)
        except ValidationError as error:
            raise ConfigError(f"grpo.{name}: {explain(error)}") from error
    try:
        found = GRPOConfig(
            output_dir=str(config.checkpoints),
            report_to=[tracker.value for tracker in config.run.trackers] or "none",
            model_init_kwargs=_model_arguments(config),
            reward_weights=None if config.reward.weights is None else list(config.reward.weights),
            **(_DEFAULTS | given | ({"use_cpu": True} if anywhere and not torch.cuda.is_available() else {})),
        )
    except ValueError as error:
        raise ConfigError(f"grpo: {error}") from error
    _refuse_losses(config, found)
    return found


def _refuse_losses(config: Config, settings: GRPOConfig) -> None:
    """Raises ConfigError for ways of generating that would round what is trained."""
    quantised = config.model.quantization is not Quantization.NONE
    if settings.use_vllm and isinstance(config.adapter, TinyLora) and quantised:
        raise ConfigError(
            "grpo.use_vllm: vLLM takes TinyLoRA merged into the model only, and a quantised weight would be rounded "
            "anew at every step: set model.quantization to none, or use_vllm to false"
        )
    if settings.use_vllm and config.repair.turns > 1:
        raise ConfigError("repair.turns: with vLLM each process must generate as often as the others: set it to 1")
    if settings.use_transformers_continuous_batching and (settings.bf16 or settings.fp16):
        raise ConfigError(
            "grpo.use_transformers_continuous_batching: TRL casts the whole model to 16 bits for it and does not undo "
            "that, so that what is trained loses its small steps: set it to false, or grpo.bf16 and grpo.fp16"
        )


def _model_arguments(config: Config) -> dict[str, Any]:
    model = config.model
    found: dict[str, Any] = {"dtype": model.dtype, "attn_implementation": model.attention}
    if model.revision is not None:
        found["revision"] = model.revision
    if torch.cuda.is_available() and model.quantization is not Quantization.NONE:
        # Packed weights are made on the GPU, each process on its own.
        found["device_map"] = {"": int(os.environ.get("LOCAL_RANK", "0"))}
    return found


def quantization(config: Config) -> BitsAndBytesConfig | None:
    match config.model.quantization:
        case Quantization.NF4:
            return BitsAndBytesConfig(
                load_in_4bit=True,
                bnb_4bit_quant_type="nf4",
                bnb_4bit_use_double_quant=True,
                bnb_4bit_compute_dtype=getattr(torch, config.model.dtype),
            )
        case Quantization.INT8:
            return BitsAndBytesConfig(load_in_8bit=True)
        case Quantization.NONE:
            return None


def adapter(config: Config) -> PeftConfig | None:
    match config.adapter:
        case TinyLora() as tiny:
            return TinyLoraConfig(
                r=tiny.r,
                u=tiny.u,
                weight_tying=tiny.weight_tying,
                target_modules=list(tiny.target_modules),
                projection_seed=tiny.seed,
                task_type="CAUSAL_LM",
            )
        case Lora() as lora:
            return LoraConfig(
                r=lora.r,
                lora_alpha=lora.alpha,
                lora_dropout=lora.dropout,
                target_modules=list(lora.target_modules),
                task_type="CAUSAL_LM",
            )
        case Full():
            return None


def tokenizer(config: Config) -> PreTrainedTokenizerBase:
    """The model's own tokenizer.

    AutoTokenizer gives a model of a known family that family's way of splitting text, whatever its tokenizer.json says;
    where that differs, the file is right: the model has learnt from it.
    """
    model = config.model
    found = AutoTokenizer.from_pretrained(model.path, revision=model.revision)
    try:
        plain = PreTrainedTokenizerFast.from_pretrained(model.path, revision=model.revision)
    except (OSError, ValueError):
        return found  # without tokenizer.json there is nothing to compare
    if found.encode(_PROBE) == plain.encode(_PROBE):
        return found
    _log.warning("%s: AutoTokenizer splits text otherwise than tokenizer.json says; the latter is used", model.path)
    return plain


def rows(config: Config, tokenizer: PreTrainedTokenizerBase | None) -> Loaded:
    """What is trained on: `prompt`, and what the reward functions read. Without a tokenizer no prompt is too long.

    Raises:
        DataError: there is nothing.
    """
    data = config.data if tokenizer else config.data.model_copy(update={"most_prompt_tokens": None})
    return load(data, config.run.directory / "cache" / "data", tokenizer)


def build(config: Config) -> RepairTurns:
    """The trainer, ready to train: the model is loaded, wrapped, and checked.

    Raises:
        ConfigError, DataError: the configuration or the data cannot be used.
    """
    settings, words = arguments(config), tokenizer(config)
    found = rows(config, words)
    require_a_step(found.train, settings)
    trainer = RepairTurns(
        model=config.model.path,
        reward_funcs=named_rewards.rewards(config),
        args=settings,
        train_dataset=found.train,
        eval_dataset=found.held_out,
        processing_class=words,
        quantization_config=quantization(config),
        peft_config=adapter(config),
        callbacks=[KeepFloat32(), EpochOrder(), WholeSteps(), Health(config.run.directory)],
    )
    trainer.spare_disk_bytes = config.run.spare_disk_bytes
    trainer.together, trainer.kl = config.reward.together, config.kl
    trainer.objectives = objectives(config, settings, found)
    trainer.turns = config.repair.turns
    trainer.critic = partial(repair.messages, how=named_rewards.settings(config))
    return trainer


def objectives(config: Config, settings: GRPOConfig, found: Loaded) -> tuple[str, ...]:
    """The values of the column `kl.by`.

    Raises:
        ConfigError: there is no such column, or no KL in the loss.
    """
    kl = config.kl
    if (kl.by is not None or kl.target is not None) and not settings.beta:
        raise ConfigError("kl: grpo.beta is 0, so that there is no KL: set grpo.beta, for example to 0.04")
    if kl.by is None:
        return ()
    if kl.by not in found.train.column_names:
        raise ConfigError(f"kl.by: the data have no column {kl.by!r}; they have {', '.join(found.train.column_names)}")
    return tuple(sorted({str(name) for part in (found.train, found.held_out) if part for name in part[kl.by]}))


def require_a_step(found: Dataset, settings: GRPOConfig) -> None:
    """Raises ConfigError if there are so few rows that TRL would silently train for no step at all."""
    needed = (settings.generation_batch_size or 0) // (settings.num_generations or 1)
    if len(found) < needed:
        raise ConfigError(
            f"{len(found)} prompts are less than one step needs ({needed} = generation_batch_size "
            f"{settings.generation_batch_size} / num_generations {settings.num_generations}): give more data, or lower "
            "grpo.per_device_train_batch_size or grpo.steps_per_generation"
        )


def train(config: Config, resume: Path | None = None, *, restart_optimizer: bool = False) -> SafeSaving:
    """Train, and leave in `run.directory`: checkpoints, the adapter (as LoRA, too), the record, and report.html.

    `resume` is a checkpoint to go on from; with `restart_optimizer` its optimizer and schedule begin anew.

    Raises:
        ConfigError, DataError: the configuration, the data or the checkpoint cannot be used.
    """
    if resume is not None:
        record.refuse_other_adapter(config, resume)
    trainer = build(config)
    trainer.restarts_optimizer = restart_optimizer
    if resume is not None:
        record.refuse_other_shapes(config, trainer.accelerator.unwrap_model(trainer.model), resume)
    if trainer.accelerator.is_main_process:
        record.write(record.collect(config, rows(config, trainer.processing_class)), config.run.directory)
    try:
        trainer.train(resume_from_checkpoint=None if resume is None else str(resume))
    except KeyboardInterrupt:
        reward_funcs.close()  # first: to write takes longer
        kept = keep(trainer)
        _log.warning("interrupted after step %d: %s", trainer.state.global_step, kept or "no checkpoint is kept")
        raise
    finally:
        reward_funcs.close()
        health(trainer).write(trainer.state.log_history, trainer.state.global_step)
    trainer.save_model(str(config.run.directory / "adapter"))
    if isinstance(config.adapter, TinyLora) and trainer.accelerator.is_main_process:
        export_lora(trainer.accelerator.unwrap_model(trainer.model), config.run.directory / "adapter-as-lora")
    return trainer


def health(trainer: SafeSaving) -> Health:
    found: Health = next(each for each in trainer.callback_handler.callbacks if isinstance(each, Health))
    return found


def resume_point(config: Config, how: str) -> Path | None:
    """The checkpoint to resume from. `how`: `auto` (the newest whole one, if any), `never`, or the path of one.

    Raises:
        ConfigError: there is no such checkpoint, or it is not whole; or `never`, and the directory holds some.
    """
    if how == "auto":
        return latest(config.checkpoints)
    if how == "never":
        if latest(config.checkpoints) is not None:
            raise ConfigError(f"{config.checkpoints} holds checkpoints: use --resume auto, or another run.directory")
        return None
    if (complaint := complaint_about(Path(how))) is not None:
        raise ConfigError(f"--resume {how}: {complaint}")
    return Path(how)


def changes(config: Config, found: Loaded, resume: Path, *, restart_optimizer: bool = False) -> list[str]:
    """What differs from the run that wrote the checkpoint, and what that means, a line each.

    Raises:
        ConfigError: the checkpoint is of another adapter, or its optimizer's state is of another kind.
    """
    record.refuse_other_adapter(config, resume)
    before = record.read(resume.absolute().parent.parent)
    if before is None:
        return [f"{resume}: its run left no record: what has changed since is not known"]
    differ = record.differences(before, record.collect(config, found))
    for each in differ:
        if each.name == "grpo.optim" and not restart_optimizer:
            raise ConfigError(
                f"{each.name} was {each.before}, whose state another optimizer cannot take: add --restart-optimizer"
            )
    return [str(each) for each in differ]
