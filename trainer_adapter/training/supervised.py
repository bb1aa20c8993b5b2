"""TRL's trainers that learn from examples, with our way of saving; and the policy that DPO is measured against."""

from __future__ import annotations

from typing import Any

from datasets import Dataset
from peft import PeftModel
from torch import nn
from trl import DPOTrainer, SFTTrainer

from trainer_adapter.training.checkpoints import SafeSaving

#: TRL's name for the frozen copy of the adapter that DPO begins with.
REFERENCE = "ref"


class Imitation(SafeSaving, SFTTrainer):  # type: ignore[misc, unused-ignore]
    """SFT."""


class Preference(SafeSaving, DPOTrainer):  # type: ignore[misc, unused-ignore]
    """DPO. With a new adapter the reference is the model without it. With one that was trained before, TRL adds a
    frozen copy of its parameters, and we copy the rest: TinyLoRA's directions are no parameters."""

    def _precompute_ref_logps(self, dataset: Dataset, *others: Any) -> Dataset:
        copy_reference(self.model)
        return super()._precompute_ref_logps(dataset, *others)


def copy_reference(model: nn.Module) -> None:
    """Give the reference the buffers of the adapter that it is a copy of."""
    if not isinstance(model, PeftModel) or REFERENCE not in model.peft_config:
        return
    buffers = dict(model.named_buffers())
    for name, buffer in buffers.items():
        copy = buffers.get(_of_reference(name))
        if copy is not None and copy is not buffer:
            copy.copy_(buffer)


def _of_reference(name: str) -> str:
    """`…tinylora_A.default` is `…tinylora_A.ref` there."""
    return ".".join(REFERENCE if part == "default" else part for part in name.split("."))
