"""What the trainer's tests share: a tiny Qwen2 with a tokenizer of its own, and settings of GRPO for a CPU.

A module that imports what only the extra `train` installs is skipped where that is missing, and fails where
JUDGE_REQUIRE names `train`.
"""

from __future__ import annotations

import importlib
import os
import re
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.trainer_adapter.tiny_model import make_tokenizer, save_model

if TYPE_CHECKING:
    from torch import nn
    from transformers import BitsAndBytesConfig, PreTrainedTokenizerFast
    from trl import GRPOConfig

    from tests.trainer_adapter.runs import Configure
    from trainer_adapter.training.config import Config

REQUIRED = set(os.environ.get("JUDGE_REQUIRE", "").split(","))
EXTRA = ("torch", "transformers", "datasets", "accelerate", "bitsandbytes", "peft", "trl")
NEEDS_EXTRA = re.compile(
    rf"^(import|from) ({'|'.join(EXTRA)}|safetensors|tokenizers|trainer_adapter\.(tinylora|train|health|demo))\b",
    re.MULTILINE,
)
#: Of other people's code, which the project cannot change: `message:category`, as pytest's marks spell them.
THEIR_WARNINGS = (r"`\w*gradient_checkpointing\w*` is deprecated and will be removed in v6:FutureWarning",)

#: Nothing is fetched, and the two cores are for the tests.
os.environ.update({"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"})


@cache
def missing_extra() -> str | None:
    """Why the trainer's libraries cannot be imported. What they warn of at their first import is theirs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in EXTRA:
            try:
                importlib.import_module(name)
            except ImportError as error:
                return str(error)
    importlib.import_module("torch").set_num_threads(1)  # two that wait for each other spin
    return None


class WithoutExtra(pytest.Module):
    def collect(self) -> list[pytest.Item | pytest.Collector]:
        pytest.skip(f"the extra `train` is not installed: {missing_extra()}")


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    if NEEDS_EXTRA.search(module_path.read_text("utf-8")) and missing_extra() and "train" not in REQUIRED:
        return WithoutExtra.from_parent(parent, path=module_path)
    return None


def pytest_itemcollected(item: pytest.Item) -> None:
    for warning in THEIR_WARNINGS:
        item.add_marker(pytest.mark.filterwarnings(f"ignore:{warning}"))


@pytest.fixture(scope="session")
def tokenizer() -> PreTrainedTokenizerFast:
    return make_tokenizer()


@pytest.fixture(scope="session")
def model_directory(tokenizer: PreTrainedTokenizerFast, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model")
    save_model(path, tokenizer)
    return path


@pytest.fixture(scope="session")
def nf4() -> BitsAndBytesConfig:
    """As recipes quantise: NF4, doubly, computed in bfloat16."""
    import torch
    from transformers import BitsAndBytesConfig

    return BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )


@pytest.fixture(scope="session")
def load(model_directory: Path, nf4: BitsAndBytesConfig) -> Callable[[str], nn.Module]:
    """The tiny model in a precision: float32, bfloat16, nf4 or int8."""
    import torch
    from transformers import AutoModelForCausalLM, BitsAndBytesConfig

    def load(base: str) -> nn.Module:
        how: dict[str, Any] = {
            "float32": {"dtype": torch.float32},
            "bfloat16": {"dtype": torch.bfloat16},
            "nf4": {"dtype": torch.bfloat16, "quantization_config": nf4},
            "int8": {"dtype": torch.bfloat16, "quantization_config": BitsAndBytesConfig(load_in_8bit=True)},
        }[base]
        return AutoModelForCausalLM.from_pretrained(model_directory, **how)

    return load


@pytest.fixture
def grpo_config(tmp_path: Path) -> Callable[..., GRPOConfig]:
    """Makes settings for a CPU: 2 prompts × 4 completions of at most 16 tokens a step, float32; `how` changes any."""
    from trl import GRPOConfig

    def make(**how: object) -> GRPOConfig:
        settings: dict[str, object] = {
            "output_dir": str(tmp_path / "out"),
            "use_cpu": True,
            "bf16": False,
            "model_init_kwargs": {"dtype": "float32"},
            "activation_checkpointing": False,
            "per_device_train_batch_size": 8,
            "num_generations": 4,
            "max_completion_length": 16,
            "learning_rate": 1e-2,
            "lr_scheduler_type": "constant",
            "max_steps": 2,
            "logging_steps": 1,
            "save_strategy": "no",
            "report_to": "none",
            "disable_tqdm": True,
            "seed": 0,
        }
        return GRPOConfig(**(settings | how))  # type: ignore[arg-type]

    return make


@pytest.fixture
def configure(model_directory: Path, tmp_path: Path) -> Configure:
    """Makes configurations of runs of the tiny model on a CPU; `grpo` and sections change any of it."""
    from tests.trainer_adapter.runs import configuration

    def make(grpo: dict[str, object] | None = None, **sections: object) -> Config:
        return configuration(model_directory, tmp_path / "run", grpo, sections)

    return make
