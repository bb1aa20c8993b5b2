"""TinyLoRA on four bits in TRL's GRPOTrainer: it runs, is saved, and goes on as if it had not been stopped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from datasets import Dataset
from peft import PeftModel, get_peft_model
from safetensors.torch import load_file
from torch import nn
from transformers import BitsAndBytesConfig, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

from tests.trainer_adapter.adapters import config, logits
from trainer_adapter.training.epoch_order import EpochOrder
from trainer_adapter.training.tinylora import KeepFloat32, vectors, wrapping


def lengths(completions: list[list[dict[str, str]]], **_: object) -> list[float]:
    """A reward that differs within a group."""
    return [float(len(set(completion[-1]["content"]))) for completion in completions]


@pytest.fixture(scope="module")
def prompts() -> Dataset:
    return Dataset.from_list([{"prompt": [{"role": "user", "content": f"print {n} + a"}]} for n in range(4)])


MakeTrainer = Callable[..., GRPOTrainer]


@pytest.fixture
def trainer(
    model_directory: Path,
    nf4: BitsAndBytesConfig,
    grpo_config: Callable[..., GRPOConfig],
    prompts: Dataset,
    tokenizer: PreTrainedTokenizerFast,
) -> MakeTrainer:
    """Makes a GRPOTrainer on four bits, as the recipes do."""

    def make(model: object = None, *, keep: KeepFloat32 | None = None, **how: object) -> GRPOTrainer:
        new = model is None
        return GRPOTrainer(
            model=str(model_directory) if new else model,
            reward_funcs=[lengths],
            args=grpo_config(**({"model_init_kwargs": {"dtype": "bfloat16"} if new else None} | how)),
            train_dataset=prompts,
            processing_class=tokenizer,
            quantization_config=nf4 if new else None,
            peft_config=config() if new else None,
            callbacks=[keep or KeepFloat32(), EpochOrder()],
        )

    return make


@pytest.mark.parametrize("checkpointing", [False, True], ids=["kept", "recomputed"])
@pytest.mark.parametrize("bf16", [False, True], ids=["plain", "autocast"])
def test_grpo_moves_v(trainer: MakeTrainer, bf16: bool, checkpointing: bool) -> None:
    run = trainer(bf16=bf16, activation_checkpointing=checkpointing, beta=0.04)
    assert wrapping(run.model).dtypes == {"float32"}
    run.train()
    (vector,) = vectors(run.model)
    assert vector.dtype == torch.float32
    assert vector.abs().max() > 1e-3
    assert all(log["grad_norm"] > 0 for log in run.state.log_history if "grad_norm" in log)
    assert run.state.log_history[0]["kl"] == 0, "before the first step the policy is the reference"


def test_trl_alone_would_round_v(trainer: MakeTrainer) -> None:
    """Why there is KeepFloat32; when this fails, it can go."""

    class Without(KeepFloat32):
        def on_init_end(self, *args: Any, **kwargs: Any) -> None:
            pass

    assert wrapping(trainer(keep=Without()).model).dtypes == {"bfloat16"}


def test_small_steps_are_not_lost(trainer: MakeTrainer, load: Callable[[str], nn.Module]) -> None:
    """AdamW's step of 1e-5 on v = 0.05: less than half of what bfloat16 can say there."""
    model = get_peft_model(load("nf4"), config())
    (vector,) = vectors(model)
    vector.data.fill_(0.05)
    run = trainer(model, keep=KeepFloat32(model), learning_rate=1e-5, max_steps=2, beta=0.04)
    assert len(run.model.peft_config) == 2, "TRL adds a copy as the reference"
    assert wrapping(run.model) == wrapping(model)
    assert [id(v) for v in vectors(run.model)] == [id(vector)]
    assert torch.equal(vector.data, torch.full((16,), 0.05)), "its value too is as it was"
    run.train()
    moved = (vector.detach() - 0.05).abs()
    assert moved.min() > 1e-6
    assert moved.max() < 4e-5


@pytest.mark.parametrize("at", [2, 3], ids=["between epochs", "within the second"])
def test_resumed_bit_for_bit(trainer: MakeTrainer, tmp_path: Path, at: int) -> None:
    straight = trainer(max_steps=4, save_strategy="steps", save_steps=at, output_dir=str(tmp_path / "straight"))
    straight.train()
    checkpoint = tmp_path / "straight" / f"checkpoint-{at}"
    resumed = trainer(max_steps=4, save_strategy="steps", save_steps=at, output_dir=str(tmp_path / "resumed"))
    resumed.train(resume_from_checkpoint=str(checkpoint))
    (expected,), (vector,) = vectors(straight.model), vectors(resumed.model)
    assert torch.equal(vector, expected)
    stored = load_file(checkpoint / "adapter_model.safetensors")["base_model.tinylora_v.0"]
    assert stored.dtype == torch.float32
    assert not torch.equal(stored, expected.detach()), "it went on from the checkpoint"
    whole, rest = ([log["grad_norm"] for log in run.state.log_history if "loss" in log] for run in (straight, resumed))
    assert whole == rest


def test_what_was_trained_is_saved(trainer: MakeTrainer, load: Callable[[str], nn.Module], tmp_path: Path) -> None:
    run = trainer()
    run.train()
    run.save_model(str(tmp_path / "saved"))
    again = PeftModel.from_pretrained(load("nf4"), tmp_path / "saved", is_trainable=True)
    assert torch.equal(vectors(again)[0], vectors(run.model)[0])
    torch.testing.assert_close(logits(again.eval()), logits(run.model.eval()), rtol=0, atol=0)
