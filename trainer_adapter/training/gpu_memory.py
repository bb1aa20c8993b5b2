"""Estimates how much GPU memory a run will take, from the model's configuration alone, before its weights are loaded.

It counts weights, the cache of keys and values while completions are sampled, and the activations of one micro-batch
with activation checkpointing. Of DPO it counts both answers, and the copy of the adapter that is the reference. A fixed
allowance stands for what frameworks need themselves.

A cache that grows (any but GRPO's `cache_implementation: static`) counts twice: each token copies it to a new place,
and PyTorch's allocator keeps the places that became too small. Measured with the flagship recipe: 13.4 GiB reserved,
where weights, keys and values, and the allowance are 8.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, assert_never

import torch
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM, TrainingArguments
from trl import DPOConfig, GRPOConfig

from trainer_adapter.training.config import AnyConfig, Config, Full, Lora, Quantization, TinyLora

_DTYPE_BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}
#: Bytes of a quantised weight with its scales (NF4: one byte for 64 weights, and 4 for 256 of those scales).
_QUANTISED_BYTES = {Quantization.NF4: 0.5 + 1 / 64 + 4 / (64 * 256), Quantization.INT8: 1.0}
#: CUDA's context, cuBLAS's workspaces, fragmentation.
_ALLOWANCE_BYTES = 1 << 30
_GIB = 1 << 30
_COPIES_OF_GROWING = 2
#: Assumed tokens of a prompt, or of an example, if no setting limits them.
_TOKENS = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    weights_bytes: int
    #: The adapter, its gradients and Adam's two moments.
    trained_bytes: int
    #: Keys and values of all completions that are sampled together.
    sampling_bytes: int
    #: Forward and backward pass of a micro-batch.
    activations_bytes: int
    allowance_bytes: int = _ALLOWANCE_BYTES

    @property
    def total_bytes(self) -> int:
        # Sampling and training take turns, so only the larger one counts.
        turns = max(self.sampling_bytes, self.activations_bytes)
        return self.weights_bytes + self.trained_bytes + turns + self.allowance_bytes

    def __str__(self) -> str:
        sizes = ((field.name.removesuffix("_bytes"), getattr(self, field.name) / _GIB) for field in fields(self))
        parts = ", ".join(f"{name} {size:.2f}" for name, size in sizes)
        return f"about {self.total_bytes / _GIB:.1f} GiB ({parts}; sampling and activations take turns)"


def estimate(config: AnyConfig, arguments: TrainingArguments, *, sampled_times: int = 1) -> Estimate:
    """The estimate for each GPU; with `sampled_times` as many completions sampled together as the arguments say.

    Raises:
        OSError: the model's configuration cannot be had.
    """
    settings = AutoConfig.from_pretrained(config.model.path, revision=config.model.revision)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(settings)
    head, size = model.get_output_embeddings(), _DTYPE_BYTES[config.model.dtype]
    linear = {
        name: layer for name, layer in model.named_modules() if isinstance(layer, nn.Linear) and layer is not head
    }
    weights = sum(parameter.numel() for parameter in model.parameters())
    packed = sum(layer.in_features * layer.out_features for layer in linear.values())
    at_once, sampled = _tokens(config, arguments)
    copies = 1 if getattr(arguments, "cache_implementation", None) == "static" else _COPIES_OF_GROWING
    text = settings.get_text_config()
    return Estimate(
        weights_bytes=int(packed * _QUANTISED_BYTES.get(config.model.quantization, size) + (weights - packed) * size),
        trained_bytes=_count_trained(config, linear, weights, size),
        sampling_bytes=copies * sampled_times * sampled * _key_and_value_bytes(text, size),
        activations_bytes=at_once * _activation_bytes(text, size)
        + 2 * size * max(layer.in_features * layer.out_features for layer in linear.values()),
    )


def _tokens(config: AnyConfig, arguments: TrainingArguments) -> tuple[int, int]:
    """How many go through the model together with gradients, and how many are sampled together."""
    if isinstance(config, Config) and isinstance(arguments, GRPOConfig):
        each = (config.data.most_prompt_tokens or _TOKENS) + (arguments.max_completion_length or 0)
        at_once = arguments.per_device_train_batch_size * each
        return at_once, at_once * (arguments.steps_per_generation or 1)
    answers = 2 if isinstance(arguments, DPOConfig) else 1
    return arguments.per_device_train_batch_size * answers * (arguments.max_length or _TOKENS), 0


def _key_and_value_bytes(text: Any, size: int) -> int:
    """Bytes of a token's keys and values in all layers."""
    head_size = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
    return int(2 * text.num_hidden_layers * text.num_key_value_heads * head_size * size)


def _activation_bytes(text: Any, size: int) -> int:
    """Bytes of a token's activations: the input of each block; and, in the block that is computed again, several copies
    of the widest activations, with TinyLoRA's sums in float32."""
    return int(text.hidden_size * size * (text.num_hidden_layers + 8) + text.intermediate_size * 16)


def _count_trained(config: AnyConfig, linear: Mapping[str, nn.Linear], weights: int, size: int) -> int:
    adapter = config.adapter
    if isinstance(adapter, Full):
        return weights * 3 * size  # gradients and two moments
    chosen = [layer for name, layer in linear.items() if name.rpartition(".")[2] in adapter.target_modules]
    sides = int(adapter.r * sum(layer.in_features + layer.out_features for layer in chosen))
    match adapter:
        case TinyLora():
            return 4 * (sides + len(chosen) * adapter.u * adapter.r**2) + 16 * adapter.u
        case Lora():
            copy = 4 if adapter.start is not None and config.kind == "dpo" else 0
            return (16 + copy) * sides
        case _:
            assert_never(adapter)
