"""Loads what is trained: the model in its precision, its tokenizer, and the adapter, new or of an earlier run."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, assert_never

import torch
from bitsandbytes.nn import Linear4bit
from peft import LoraConfig, PeftConfig, PeftModel, TinyLoraConfig
from torch import nn
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    BitsAndBytesConfig,
    GenerationConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)

from judge import ConfigError
from trainer_adapter.training import record
from trainer_adapter.training.config import AnyConfig, Full, Lora, Quantization, TinyLora
from trainer_adapter.training.tinylora import keep_packing

_log = logging.getLogger(__name__)

#: Text that tokenizers split differently: digits, indentation, blank lines, Chinese.
PROBE = "P1001\n\n    for (int i = 0; i < 1234567; i++) cout << a[i] << '\\n';\n读入 10 个整数，输出它们的和。"


def arguments(config: AnyConfig) -> dict[str, Any]:
    model = config.model
    found: dict[str, Any] = {"dtype": model.dtype, "attn_implementation": model.attention}
    if model.revision is not None:
        found["revision"] = model.revision
    if torch.cuda.is_available() and model.quantization is not Quantization.NONE:
        # Packed weights are made on the GPU, each process on its own.
        found["device_map"] = {"": int(os.environ.get("LOCAL_RANK", "0"))}
    return found


def quantization(config: AnyConfig) -> BitsAndBytesConfig | None:
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
        case _:
            assert_never(config.model.quantization)


def adapter(config: AnyConfig) -> PeftConfig | None:
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
        case _:
            assert_never(config.adapter)


def tokenizer(config: AnyConfig) -> PreTrainedTokenizerBase:
    return tokenizer_of(config.model.path, config.model.revision)


def tokenizer_of(path: str, revision: str | None) -> PreTrainedTokenizerBase:
    """A model's own tokenizer.

    AutoTokenizer gives a model of a known family that family's way of splitting text, whatever its tokenizer.json says;
    where that differs, the file is right: the model has learnt from it.
    """
    found = AutoTokenizer.from_pretrained(path, revision=revision)
    try:
        plain = PreTrainedTokenizerFast.from_pretrained(path, revision=revision)
    except (OSError, ValueError):
        return found  # without tokenizer.json there is nothing to compare
    if found.encode(PROBE) == plain.encode(PROBE):
        return found
    _log.warning("%s: AutoTokenizer splits text otherwise than tokenizer.json says; the latter is used", path)
    return plain


def generation(config: AnyConfig) -> GenerationConfig:
    """How the model generates by its own settings; empty ones where they cannot be had."""
    path, revision = config.model.path, config.model.revision or "main"
    with suppress(OSError, ValueError):
        return GenerationConfig.from_pretrained(path, revision=revision)
    with suppress(OSError, ValueError):  # without settings of its own those of its architecture count
        return GenerationConfig.from_model_config(AutoConfig.from_pretrained(path, revision=revision))
    return GenerationConfig()


def name_tokens(tokens: Sequence[int], words: PreTrainedTokenizerBase) -> str:
    return " or ".join(map(repr, words.convert_ids_to_tokens(list(tokens)))) or "none"


def begun_with(config: AnyConfig) -> Path | None:
    """The directory of the adapter that training begins with: `adapter.start`, or the `adapter` of that run.

    Raises:
        ConfigError: there is none, or it is of another kind or shape than the configuration says.
    """
    if isinstance(config.adapter, Full) or config.adapter.start is None:
        return None
    found = adapter_in(config.adapter.start, "adapter.start")
    record.refuse_other_adapter(config, found)
    return found


def adapter_in(start: Path, said: str) -> Path:
    """The directory of an adapter: `start`, or the `adapter` of that run.

    Raises:
        ConfigError: there is none; the message begins with what the user `said`.
    """
    start = start.expanduser()
    found = next((one for one in (start, start / "adapter") if (one / "adapter_config.json").is_file()), None)
    if found is None:
        raise ConfigError(
            f"{said} {start}: it holds no adapter (adapter_config.json): give the directory of a run that is done, or "
            "of an adapter"
        )
    return found


def base(config: AnyConfig) -> PreTrainedModel:
    """The model without an adapter."""
    model = AutoModelForCausalLM.from_pretrained(
        config.model.path, quantization_config=quantization(config), **arguments(config)
    )
    keep_packed(model)
    return model


def load_to_sample(config: AnyConfig, adapter: Path) -> PeftModel:
    """The model with this adapter, to sample with."""
    return PeftModel.from_pretrained(base(config), str(adapter))


def load_to_train(config: AnyConfig, adapter: Path) -> PeftModel:
    """The model with this adapter, to be trained on.

    Raises:
        ConfigError: a LoRA of another scale than the configuration's.
    """
    how = PeftConfig.from_pretrained(str(adapter))
    if isinstance(config.adapter, Lora):
        if how.lora_alpha != config.adapter.alpha:
            raise ConfigError(f"{adapter} has alpha {how.lora_alpha}, and adapter.alpha is {config.adapter.alpha}")
        how.lora_dropout = config.adapter.dropout
    return PeftModel.from_pretrained(base(config), str(adapter), is_trainable=True, config=how)


def keep_packed(model: nn.Module) -> None:
    """`keep_packing` for all layers, whatever the adapter."""
    for name, layer in model.named_modules():
        if isinstance(layer, Linear4bit):
            keep_packing(name, layer)
