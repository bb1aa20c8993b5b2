"""Pitfalls from the field that no other test is about. docs/field-notes.md lists all, each with its test."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from datasets import Dataset, DatasetDict
from peft import TinyLoraConfig, get_peft_model
from transformers import (
    AutoModelForCausalLM,
    BitsAndBytesConfig,
    GenerationConfig,
    PreTrainedTokenizerFast,
)
from transformers.trainer_utils import validate_quantization_for_training
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer

from tests.trainer_adapter.runs import Configure
from trainer_adapter.data.config import SYSTEM_PROMPT
from trainer_adapter.training import train
from trainer_adapter.training.checkpoints import SafeSaving
from trainer_adapter.training.config import BLOCK_MODULES
from trainer_adapter.training.tinylora import vectors


@pytest.fixture
def packed(model_directory: Path, nf4: BitsAndBytesConfig) -> torch.nn.Module:
    return AutoModelForCausalLM.from_pretrained(model_directory, quantization_config=nf4, dtype=torch.float32)


def tiny(**how: object) -> TinyLoraConfig:
    settings = {"r": 2, "u": 16, "weight_tying": 1.0, "target_modules": list(BLOCK_MODULES), "task_type": "CAUSAL_LM"}
    return TinyLoraConfig(**(settings | how))


def test_a_packed_model_needs_no_forged_pass(packed: torch.nn.Module) -> None:
    """`_hf_peft_config_loaded = True` was set by hand so that transformers would train a quantised model."""
    with pytest.raises(ValueError, match="purely quantized"):
        validate_quantization_for_training(packed)
    adapted = get_peft_model(packed, tiny())
    validate_quantization_for_training(adapted)
    assert not getattr(adapted, "_hf_peft_config_loaded", False)


def test_v_is_not_known_by_one_name(packed: torch.nn.Module) -> None:
    """Freezing by names met v under the name of one layer and froze it under those of all others."""
    adapted = get_peft_model(packed, tiny())
    names = [name for name, parameter in adapted.named_parameters() if parameter.requires_grad]
    assert len(names) == 1
    assert "layers.0" in names[0], "it seems to belong to the first layer"
    (vector,) = vectors(adapted)
    for name, parameter in adapted.named_parameters(remove_duplicate=False):
        assert parameter.requires_grad == (parameter is vector), name


def test_no_reference_solution_is_needed(configure: Configure) -> None:
    config = configure()
    rows = train.rows(config, train.tokenizer(config)).train
    assert set(rows.column_names) == {"prompt", "problem_id", "difficulty"}


def test_a_dictionary_of_splits_is_refused_by_trl_and_never_given(
    configure: Configure, tokenizer: PreTrainedTokenizerFast, grpo_config: Callable[..., GRPOConfig]
) -> None:
    config = configure()
    rows = train.rows(config, train.tokenizer(config)).train
    assert isinstance(rows, Dataset)
    with pytest.raises(TypeError, match="DatasetDict"):
        GRPOTrainer(
            model=config.model.path,
            reward_funcs=[lambda completions, **_: [0.0] * len(completions)],
            args=grpo_config(),
            train_dataset=DatasetDict({"train": rows}),
            processing_class=tokenizer,
        )


def test_prompts_are_conversations_with_a_system_prompt(configure: Configure) -> None:
    """Without chat template and system prompt no completion has the format, and all rewards are 0."""
    config = configure(data={"only": ("P1001",), "system_prompt": SYSTEM_PROMPT})
    words = train.tokenizer(config)
    (row,) = train.rows(config, words).train
    assert [message["role"] for message in row["prompt"]] == ["system", "user"]
    assert "```cpp" in row["prompt"][0]["content"]
    assert words.apply_chat_template(row["prompt"], add_generation_prompt=True, tokenize=False).endswith("assistant\n")


def test_no_loop_and_no_formula_of_our_own() -> None:
    """A training loop written by hand overwrote gradients instead of adding them, and "repaired" the KL estimator: what
    is inherited from TRL is all that trains."""
    ours = {name for name, value in vars(SafeSaving).items() if callable(value)}
    assert ours == {"__init__", "_save_checkpoint", "_load_optimizer_and_scheduler", "_agree", "_say"}
    assert ours - {"_agree", "_say"} == {name for name in ours if hasattr(GRPOTrainer, name)}


def gradients(configure: Configure, **grpo: object) -> torch.Tensor:
    """Of v, after all micro-batches of the first step."""
    trainer = train.build(configure(grpo={"max_steps": 1, "save_strategy": "no", **grpo}))
    kept: list[torch.Tensor] = []
    (vector,) = vectors(trainer.model)
    step = trainer.create_optimizer().step

    def keep(*arguments: object, **how: object) -> object:
        assert vector.grad is not None
        kept.append(vector.grad.clone())
        return step(*arguments, **how)

    trainer.optimizer.step = keep
    trainer.train()
    return kept[0]


def test_gradients_of_micro_batches_add_up(configure: Configure) -> None:
    """One batch of 8 completions, or 4 of 2 of the same: the same gradient."""
    once = gradients(configure)
    parts = gradients(configure, per_device_train_batch_size=2, gradient_accumulation_steps=4)
    assert once.abs().max() > 0
    torch.testing.assert_close(parts, once, rtol=1e-3, atol=1e-6)


def test_kl_is_the_estimator_that_is_never_negative(configure: Configure) -> None:
    """k3, exp(d) - d - 1: its growth was taken for a mistake, and clamp(d, 0, 10) put in its place, which has no
    gradient wherever the policy has become likelier."""
    trainer = train.build(configure(grpo={"beta": 0.04, "max_steps": 3, "save_strategy": "no", "learning_rate": 0.3}))
    trainer.train()
    kl = [log["kl"] for log in trainer.state.log_history if "kl" in log]
    assert kl[0] == pytest.approx(0.0, abs=1e-6), "policy and reference are the same at first"
    assert all(value > 0 for value in kl[1:])


@pytest.mark.parametrize(("temperature", "distinct"), [(1e-4, False), (1.5, True)])
def test_temperature_is_heeded(configure: Configure, tmp_path: Path, temperature: float, distinct: bool) -> None:
    """It was ignored: all completions of a group were alike. A model's own settings change nothing of ours."""
    config = configure(grpo={"temperature": temperature, "max_steps": 1, "save_strategy": "no"})
    model = tmp_path / "model"
    shutil.copytree(config.model.path, model)
    GenerationConfig(do_sample=True, temperature=0.7, top_k=1, repetition_penalty=1.1).save_pretrained(model)
    trainer = train.build(config.model_copy(update={"model": config.model.model_copy(update={"path": str(model)})}))
    assert trainer.generation_config.do_sample
    assert trainer.generation_config.temperature == temperature
    trainer.train()
    (log,) = (log for log in trainer.state.log_history if "reward" in log)
    assert (log["frac_reward_zero_std"] < 1) is distinct


def test_preferences_are_learnt_against_the_model_without_its_adapter(
    packed: torch.nn.Module, tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    """A second model was loaded as DPO's reference, and memory ran out. At first both are the same: loss ln 2."""
    pair = {"prompt": "Add a and b.", "chosen": " print(a + b)", "rejected": " no"}
    trainer = DPOTrainer(
        model=packed,
        args=DPOConfig(
            output_dir=str(tmp_path),
            use_cpu=True,
            bf16=False,
            max_steps=3,
            logging_steps=1,
            learning_rate=1e-1,
            per_device_train_batch_size=2,
            save_strategy="no",
            report_to="none",
        ),
        train_dataset=Dataset.from_list([pair] * 4),
        processing_class=tokenizer,
        peft_config=tiny(),
    )
    assert trainer.ref_model is None
    trainer.train()
    losses = [log["loss"] for log in trainer.state.log_history if "loss" in log]
    assert losses[0] == pytest.approx(math.log(2), abs=1e-4)
    assert losses[-1] < losses[0]
    (vector,) = vectors(trainer.model)
    assert vector.numel() == 16
