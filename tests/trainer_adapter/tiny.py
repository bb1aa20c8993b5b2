"""What is done to the tiny model in several tests."""

from __future__ import annotations

from typing import Any

import torch
from peft import TinyLoraConfig
from torch import Tensor, nn

from trainer_adapter.training.config import BLOCK_MODULES
from trainer_adapter.training.tinylora import vectors


def config(**how: Any) -> TinyLoraConfig:
    settings = {"r": 2, "u": 16, "weight_tying": 1.0, "target_modules": list(BLOCK_MODULES), "task_type": "CAUSAL_LM"}
    return TinyLoraConfig(**(settings | how))


IDS = torch.arange(3, 35).reshape(2, 16)


def logits(model: nn.Module) -> Tensor:
    with torch.no_grad():
        return model(input_ids=IDS).logits.float()


def move(model: nn.Module, size: float = 1.0) -> None:
    """Gives v a value that is no other."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        for vector in vectors(model):
            vector.data = size * torch.randn_like(vector)
