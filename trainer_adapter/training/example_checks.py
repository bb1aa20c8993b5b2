"""Says and checks of a run on examples, before it begins: its batches, what is learnt of an example, its loss."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from transformers import TrainingArguments

from trainer_adapter.data.loading import Loaded
from trainer_adapter.rollouts.making.local import end_tokens
from trainer_adapter.training.checkpoints import SafeSaving
from trainer_adapter.training.model import name_tokens
from trainer_adapter.training.precheck import Precheck
from trainer_adapter.training.supervised import Preference

#: Half of the precision to which the loss of a policy that is its own reference must be that of guessing.
_NEAR = 1e-3


def describe_batches(settings: TrainingArguments, found: Loaded) -> Iterator[str]:
    """The effective batch and how many steps an epoch has; what was left out of the data."""
    each, accumulated = settings.per_device_train_batch_size, settings.gradient_accumulation_steps
    batch = each * accumulated * settings.world_size
    yield (
        f"{len(found.train)} examples; a step: {batch} of them ({each} at once x {accumulated} accumulated x "
        f"{settings.world_size} processes), an epoch: {math.ceil(len(found.train) / batch)} steps"
    )
    if found.held_out is not None:
        yield f"{len(found.held_out)} held out"
        if settings.eval_strategy == "no":
            yield "what is held out is not looked at: set eval_strategy"
    for reason, tally in found.report["dropped"].items():
        yield f"{tally['count']} dropped: {reason}"


def try_batch(trainer: SafeSaving) -> Iterator[Precheck]:
    """The first batch, through the model as in training, without a step."""
    batch = trainer._prepare_inputs(next(iter(trainer.get_train_dataloader())))
    yield _end(trainer, batch)
    training = trainer.model.training
    trainer.model.train()
    with torch.no_grad(), trainer.compute_loss_context_manager():
        loss = float(trainer.compute_loss(trainer.model, batch))
    trainer.model.train(training)
    for metrics in trainer._metrics.values():
        metrics.clear()
    if isinstance(trainer, Preference) and trainer.loss_types == ["sigmoid"] and not trainer.label_smoothing:
        yield Precheck(
            name="reference",
            ok=abs(loss - math.log(2)) < _NEAR,
            detail=f"the loss of the first pairs is {loss:.4f}; it is ln 2, {math.log(2):.4f}, where policy and "
            "reference agree",
            remedy="set dpo.disable_dropout to true, and model to what the adapter was trained on",
        )
    else:
        yield Precheck(
            name="loss",
            ok=math.isfinite(loss),
            detail=f"{loss:.4f} for the first examples",
            remedy="train in bfloat16 or float32",
        )


def _end(trainer: SafeSaving, batch: dict[str, Any]) -> Precheck:
    """Whether the answers that are learnt hold the token that ends a turn."""
    learnt = batch["labels"] != -100 if "labels" in batch else batch["completion_mask"] == 1
    words = trainer.processing_class
    ends = end_tokens(trainer.accelerator.unwrap_model(trainer.model).generation_config, words)
    found = int((torch.isin(batch["input_ids"], batch["input_ids"].new_tensor(ends)) & learnt).any(dim=1).sum())
    return Precheck(
        name="end of turn",
        ok=found == len(learnt),
        detail=f"{found} of {len(learnt)} answers are learnt with their end, "
        f"{name_tokens(ends, words)}; {int(learnt.sum())} of {learnt.numel()} tokens are learnt",
        remedy="a model that does not learn to stop writes on: check the chat template, and max_length",
    )
