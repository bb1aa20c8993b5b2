"""Trains an adapter by a configuration: `judge-train grpo`, `sft`, `dpo`. TRL trains, PEFT adapts, datasets loads, the
judge judges. This module puts them together, and refuses what would fail silently.

    configuration ──► surroundings (caches, offline trackers; before Hugging Face is imported)
                  ──► rows ──────────────────────┐
                  ──► reward functions (grpo) ───┼──► Trainer: TRL's, with checkpoints that survive a full disk
                  ──► model, adapter ────────────┘         └──► train, save, export
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from datasets import Dataset
from transformers import PreTrainedTokenizerBase, TrainingArguments
from transformers.trainer_utils import IntervalStrategy
from trl import GRPOConfig

from judge import ConfigError
from judge.common.ending import taking_time, told_to
from judge.common.promise import begin_aside
from trainer_adapter import reward_funcs
from trainer_adapter.data import loading
from trainer_adapter.data.loading import Loaded
from trainer_adapter.examples import loading as example_loading
from trainer_adapter.health.watch import Health
from trainer_adapter.rewards import repair
from trainer_adapter.training import adapter_for_vllm, named_rewards, record, run_page
from trainer_adapter.training.arguments import arguments, most_tokens
from trainer_adapter.training.checkpoints import (
    UNWRITTEN,
    NotSaved,
    SafeSaving,
    WholeSteps,
    complaint_about,
    free_bytes,
    keep,
    latest,
)
from trainer_adapter.training.config import AnyConfig, Config, DpoConfig, TinyLora
from trainer_adapter.training.early_judging import EarlyJudging
from trainer_adapter.training.epoch_order import EpochOrder
from trainer_adapter.training.held_out import HeldOutEvaluation, looks_at_held_out
from trainer_adapter.training.model import adapter, begun_with, keep_packed, load_to_train, quantization, tokenizer
from trainer_adapter.training.reward_audit import RewardAudit
from trainer_adapter.training.supervised import REFERENCE, Imitation, Preference, copy_reference
from trainer_adapter.training.time_budget import OutOfTime, TimeBudget
from trainer_adapter.training.tinylora import KeepFloat32, export_lora
from trainer_adapter.training.without_verdicts import WithoutVerdicts

__all__ = ["arguments", "quantization", "tokenizer"]

_log = logging.getLogger(__name__)

_Callback = TypeVar("_Callback")

#: After a signal: how long what does not look (a generation of vLLM's) may take, and then a checkpoint. Who waits for a
#: verdict in a thread of TRL's gets none, for the judges are closed, and the next pass of the model looks.
_STEP_S, _KEEPING_S = 60.0, 600.0


def rows(config: AnyConfig, tokenizer: PreTrainedTokenizerBase | None) -> Loaded:
    """What is trained on: `prompt`, and what the reward functions read; or the answers. Without a tokenizer nothing is
    too long.

    Raises:
        DataError: there is nothing.
    """
    directory = config.run.directory / "cache" / "data"
    if isinstance(config, Config):
        data = config.data if tokenizer else config.data.model_copy(update={"most_prompt_tokens": None})
        return loading.load(data, directory, tokenizer)
    pairs, most = isinstance(config, DpoConfig), most_tokens(config)
    return example_loading.load(config.data, directory, tokenizer, pairs=pairs, most_tokens=most)


def build(config: AnyConfig) -> SafeSaving:
    """The trainer, ready to train: the model is loaded, wrapped, and checked.

    Raises:
        ConfigError, DataError: the configuration or the data cannot be used.
    """
    settings, words = arguments(config), tokenizer(config)
    found = rows(config, words)
    require_a_step(found.train, settings)
    for said in turn_off_evaluation(config, settings, found):
        _log.warning("%s", said)
    start = begun_with(config)
    model = config.model.path if start is None else load_to_train(config, start)
    floats = KeepFloat32(None if isinstance(model, str) else model)
    common: dict[str, Any] = {
        "model": model,
        "args": settings,
        "train_dataset": found.train,
        "eval_dataset": found.held_out,
        "processing_class": words,
        "quantization_config": quantization(config) if start is None else None,
        "peft_config": adapter(config) if start is None else None,
        "callbacks": [
            floats, EpochOrder(), WholeSteps(), TimeBudget(config.run.hours), Health(config.run.directory),
            WithoutVerdicts(config.run.steps_without_verdicts),
            *HeldOutEvaluation.make_wanted(config, found, words), *RewardAudit.make_wanted(config, words),
        ],
    }  # fmt: skip
    trainer = (
        _train_on_rewards(config, settings, found, common)
        if isinstance(config, Config)
        else _train_on_examples(config, common)
    )
    keep_packed(trainer.model)
    trainer.spare_disk_bytes = config.run.spare_disk_bytes
    HeldOutEvaluation.attach(trainer)
    RewardAudit.attach(trainer)
    return trainer


def _train_on_rewards(config: Config, settings: GRPOConfig, found: Loaded, common: dict[str, Any]) -> SafeSaving:
    words = common["processing_class"]
    with adapter_for_vllm.replace_generation(config, settings):
        trainer = EarlyJudging(reward_funcs=named_rewards.rewards(config, words), **common)
    trainer.together, trainer.kl = config.reward.together, config.kl
    trainer.objectives = objectives(config, settings, found)
    trainer.turns = config.repair.turns
    how = named_rewards.settings(config, words)
    trainer.critic = partial(repair.messages, how=how)
    trainer.judging = how if set(reward_funcs.Kind) & set(config.reward.names) else None
    return trainer


def _train_on_examples(config: AnyConfig, common: dict[str, Any]) -> SafeSaving:
    trainer = (Preference if isinstance(config, DpoConfig) else Imitation)(**common)
    copy_reference(trainer.model)
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


def require_a_step(found: Dataset, settings: TrainingArguments) -> None:
    """Raises ConfigError if there are so few rows that TRL would silently train for no step at all."""
    if not isinstance(settings, GRPOConfig):
        return  # a step with fewer rows is a step
    needed = (settings.generation_batch_size or 0) // (settings.num_generations or 1)
    if len(found) < needed:
        raise ConfigError(
            f"{len(found)} prompts are less than one step needs ({needed} = generation_batch_size "
            f"{settings.generation_batch_size} / num_generations {settings.num_generations}): give more data, or lower "
            "grpo.per_device_train_batch_size or grpo.steps_per_generation"
        )


def turn_off_evaluation(config: AnyConfig, settings: TrainingArguments, found: Loaded) -> Iterator[str]:
    """Where nothing is held out: TRL would refuse the run. Says what is turned off, and why."""
    if found.held_out is not None:
        return
    share = config.data.held_out
    why = "the data have no second prompt to hold out" if share else "nothing is held out (data.held_out is 0)"
    if settings.eval_strategy != IntervalStrategy.NO:
        yield f"{config.kind}.eval_strategy is turned off: {why}"
        settings.eval_strategy, settings.do_eval, settings.load_best_model_at_end = IntervalStrategy.NO, False, False
    if looks_at_held_out(config):
        yield f"evaluation is turned off: {why}"


def train(config: AnyConfig, resume: Path | None = None, *, restart_optimizer: bool = False) -> SafeSaving:
    """Train, and leave in `run.directory`: checkpoints, the adapter (as LoRA, too), the record, and report.html.

    `resume` is a checkpoint to go on from; with `restart_optimizer` its optimizer and schedule begin anew.

    Raises:
        ConfigError, DataError: the configuration, the data or the checkpoint cannot be used.
        OutOfTime: `run.hours` are over; a checkpoint of the last step is kept.
        NothingJudged: no completion of the last steps was judged.
        NotSaved: what was learnt cannot be written.
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
        with taking_time(_STEP_S, _KEEPING_S), told_to(lambda: begin_aside(reward_funcs.close)):
            trainer.train(resume_from_checkpoint=None if resume is None else str(resume))
    except KeyboardInterrupt:
        reward_funcs.close()  # first: to write takes longer
        kept = keep(trainer)
        _log.warning("interrupted after step %d: %s", trainer.state.global_step, kept or "no checkpoint is kept")
        raise
    finally:
        reward_funcs.close()
        adapter_for_vllm.close(trainer)
        if trainer.accelerator.is_main_process:
            _tell(trainer, config)
    _callback(trainer, WithoutVerdicts).check()
    if _callback(trainer, TimeBudget).spent:
        _log.warning(
            "run.hours are over after step %d of %d: the same command goes on from %s",
            trainer.state.global_step,
            trainer.state.max_steps,
            latest(config.checkpoints) or "the beginning, for no checkpoint is kept",
        )
        raise OutOfTime
    _save(trainer, config)
    return trainer


def _tell(trainer: SafeSaving, config: AnyConfig) -> None:
    """report.html and the evaluations. Where they cannot be written, what was learnt is worth more."""
    history = trainer.state.log_history
    try:
        examples = run_page.examples(config.run.directory)
        health(trainer).write(history, trainer.state.global_step, examples)
        record.write_evaluations(history, config.run.directory)
    except OSError as error:
        _log.error("the report of %s is not written: %s", config.run.directory, error)


def _save(trainer: SafeSaving, config: AnyConfig) -> None:
    """The adapter, and an equal LoRA.

    Raises:
        NotSaved: they cannot be written.
    """
    adapter, as_lora = config.run.directory / "adapter", config.run.directory / "adapter-as-lora"
    with _written_whole(adapter, config):
        trainer.save_model(str(adapter))
    if trainer.accelerator.is_main_process:
        shutil.rmtree(adapter / REFERENCE, ignore_errors=True)
    if isinstance(config.adapter, TinyLora) and trainer.accelerator.is_main_process:
        with _written_whole(as_lora, config):
            export_lora(trainer.accelerator.unwrap_model(trainer.model), as_lora)


@contextmanager
def _written_whole(directory: Path, config: AnyConfig) -> Iterator[None]:
    """Leaves no half of it, and says what to do.

    Raises:
        NotSaved: what is done within cannot write.
    """
    try:
        yield
    except UNWRITTEN as error:
        shutil.rmtree(directory, ignore_errors=True)
        kept, free = latest(config.checkpoints), free_bytes(directory) / 1e9
        then = f"the same command goes on from {kept}" if kept else "as no checkpoint is kept, train again"
        raise NotSaved(
            f"{directory} cannot be written ({error}), {free:.1f} GB are free on its disk: free space there; then "
            f"{then}"
        ) from error


def health(trainer: SafeSaving) -> Health:
    return _callback(trainer, Health)


def _callback(trainer: SafeSaving, kind: type[_Callback]) -> _Callback:
    return next(each for each in trainer.callback_handler.callbacks if isinstance(each, kind))


def resume_point(config: AnyConfig, how: str) -> Path | None:
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


def changes(config: AnyConfig, found: Loaded, resume: Path, *, restart_optimizer: bool = False) -> list[str]:
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
        if each.name == f"{config.kind}.optim" and not restart_optimizer:
            raise ConfigError(
                f"{each.name} was {each.before}, whose state another optimizer cannot take: add --restart-optimizer"
            )
    return [str(each) for each in differ]
