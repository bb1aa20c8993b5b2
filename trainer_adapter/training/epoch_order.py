"""Shuffles the prompts so that a resumed run gets them in the same order."""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback


class EpochOrder(TrainerCallback):  # type: ignore[misc]
    """Shuffles each epoch by its number.

    TRL's sampler draws all epochs from one generator, which no checkpoint holds: a run that is resumed in its second
    epoch would go through the order of the first one again.
    """

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        batches = kwargs["train_dataloader"].batch_sampler
        batches = getattr(batches, "batch_sampler", batches)  # with several processes it wraps the common one
        generator = getattr(getattr(batches, "sampler", None), "generator", None)
        if generator is not None:  # a stream of rows has none: `datasets` shuffles it by its seed
            generator.manual_seed(args.seed + int(state.epoch))
