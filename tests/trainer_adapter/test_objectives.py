"""Several objectives in one run of GRPO."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from datasets import Dataset
from safetensors.torch import load_file
from transformers import PreTrainedTokenizerFast
from trl import GRPOConfig

from judge.common.errors import ConfigError
from tests.trainer_adapter.adapters import config
from tests.trainer_adapter.runs import configuration, length
from trainer_adapter.data.loading import Loaded
from trainer_adapter.training.config import Kl
from trainer_adapter.training.objectives import Objectives
from trainer_adapter.training.train import arguments, objectives

MakeTrainer = Callable[..., Objectives]


def second_fails(completions: Sequence[Any], **_: object) -> list[float | None]:
    return [None if place % 4 == 1 else 1.0 for place in range(len(completions))]


@pytest.fixture
def trainer(
    model_directory: Path, grpo_config: Callable[..., GRPOConfig], tokenizer: PreTrainedTokenizerFast
) -> MakeTrainer:
    def make(rewards: Sequence[Any] = (length,), **how: Any) -> Objectives:
        rows = [
            {"prompt": [{"role": "user", "content": f"print {n} + a"}], "objective": "short" if n % 2 else "right"}
            for n in range(8)
        ]
        return Objectives(
            model=str(model_directory),
            reward_funcs=list(rewards),
            args=grpo_config(model_init_kwargs={"dtype": "float32"}, **how),
            train_dataset=Dataset.from_list(rows),
            processing_class=tokenizer,
            peft_config=config(),
        )

    return make


def scored(run: Objectives) -> torch.Tensor:
    """The advantages of the first batch."""
    rows = [row for row in run.train_dataset.select(range(2)) for _ in range(4)]
    return run._generate_and_score_completions(rows)["advantages"]


def test_what_one_function_cannot_score_is_scored_by_none(trainer: MakeTrainer) -> None:
    run = trainer([length, second_fails])
    run.model.train()
    assert scored(run)[1] != 0, "TRL counts None as 0 beside another reward"
    run.together = True
    advantages = scored(run)
    assert advantages[1] == advantages[5] == 0
    assert advantages.count_nonzero() == 6


def test_a_lost_rating_leaves_the_other_objective(trainer: MakeTrainer) -> None:
    """As in the recipe `two_objectives`: it counts as its group's mean."""
    alone = trainer([length], multi_objective_aggregation="normalize_then_sum")
    beside = trainer([length, second_fails], multi_objective_aggregation="normalize_then_sum")
    for run in (alone, beside):
        run.model.train()
    torch.manual_seed(0)
    expected = scored(alone)
    torch.manual_seed(0)
    assert torch.allclose(scored(beside), expected), "the others are rated alike"
    assert expected.count_nonzero() == 8


def test_each_objective_has_a_kl_of_its_own(trainer: MakeTrainer) -> None:
    run = trainer(beta=0.1, max_steps=3)
    run.kl, run.objectives = Kl(by="objective"), ("right", "short")
    run.train()
    rows = [row for row in run.state.log_history if "kl" in row]
    assert [row for row in rows if {"kl/right", "kl/short"} & set(row)] == rows
    both = [row for row in rows if {"kl/right", "kl/short"} <= set(row)]
    assert both, "a step with both objectives"
    for row in both:
        assert min(row["kl/right"], row["kl/short"]) - 1e-6 <= row["kl"] <= max(row["kl/right"], row["kl/short"]) + 1e-6
    assert rows[-1]["kl"] > 0


@pytest.mark.parametrize(("target", "direction"), [(1e-9, 1), (1e3, -1)])
def test_beta_follows_the_target_and_goes_on_after_a_checkpoint(
    trainer: MakeTrainer, target: float, direction: int
) -> None:
    how = {"beta": 0.1, "save_strategy": "steps", "save_steps": 2}
    whole = trainer(**how, max_steps=4)
    whole.kl = Kl(target=target)
    whole.train()
    betas = [row["beta"] for row in whole.state.log_history if "beta" in row]
    assert len(betas) == 4
    moves = [after / before for before, after in pairwise(betas)]
    assert moves == pytest.approx([1 + 0.1 * direction] * 3, rel=0.02)
    resumed = trainer(**how, max_steps=4)
    resumed.kl = Kl(target=target)
    resumed.train(resume_from_checkpoint=f"{whole.args.output_dir}/checkpoint-2")
    again = [row["beta"] for row in resumed.state.log_history if "beta" in row]
    assert again == pytest.approx(betas)


def test_beta_stays_within_its_bounds(trainer: MakeTrainer) -> None:
    """The KL of the first step is 0: the policy is still the reference."""
    run = trainer(beta=0.1, max_steps=3)
    run.kl = Kl(target=1e3, rate=0.9, least=0.05)
    run.train()
    assert [row["beta"] for row in run.state.log_history if "beta" in row] == [0.05] * 3


@pytest.mark.parametrize("loss_type", ["dapo", "dr_grpo"])
def test_accumulation_equals_the_large_batch(trainer: MakeTrainer, tmp_path: Path, loss_type: str) -> None:
    """Weights of each number of parts after two steps."""
    weights = {}
    for parts in (1, 2):
        run = trainer(
            max_steps=2,
            per_device_train_batch_size=8 // parts,
            gradient_accumulation_steps=parts,
            loss_type=loss_type,
            beta=0.1,
        )
        run.train()
        run.save_model(str(tmp_path / str(parts)))
        weights[parts] = load_file(tmp_path / str(parts) / "adapter_model.safetensors")
    assert weights[1].keys() == weights[2].keys()
    moved = 0.0
    for name, tensor in weights[1].items():
        moved = max(moved, tensor.abs().max().item())
        assert torch.allclose(tensor, weights[2][name], rtol=1e-3, atol=1e-5), name
    assert moved > 1e-3


def test_the_configuration_is_checked(model_directory: Path, tmp_path: Path) -> None:
    rows = Loaded(
        train=Dataset.from_list([{"prompt": "a", "source": "x"}, {"prompt": "b", "source": "y"}]),
        held_out=None,
        report={},
    )
    settings = configuration(model_directory, tmp_path, {"beta": 0.1}, {})

    def names(kl: Kl, beta: float = 0.1) -> tuple[str, ...]:
        changed = settings.model_copy(update={"kl": kl, "grpo": settings.grpo | {"beta": beta}})
        return objectives(changed, arguments(changed), rows)

    assert names(Kl(by="source")) == ("x", "y")
    assert names(Kl(target=0.1)) == ()
    with pytest.raises(ConfigError, match="no column 'objective'; they have prompt, source"):
        names(Kl(by="objective"))
    with pytest.raises(ConfigError, match="beta is 0"):
        names(Kl(target=0.1), beta=0.0)
