"""TRL's GRPOTrainer with rewards by the real judge, one sandbox in a hundred lost."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset
from transformers import PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

from tests.conftest import MakePackage
from tests.trainer_adapter.failing import Doom, doomed
from tests.trainer_adapter.programs import CASES, HALF, METADATA, RIGHT, completion
from trainer_adapter import reward_funcs
from trainer_adapter.data.tests_column import Case, Inline
from trainer_adapter.reward_funcs import AsyncCodeReward, CodeReward, Kind, Settings, UnlessFailed

GROUPS, SIZE = 25, 4
#: The completion whose sandbox is lost.
LOST = 5


@pytest.fixture
def settings(backend: str, shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")  # rollout_func
    Doom(monkeypatch)
    yield Settings(language="c17", slots=1, backend=backend, cache_directory=shared_cache)
    reward_funcs.close()


@pytest.fixture
def train(
    model_directory: Path, tokenizer: PreTrainedTokenizerFast, grpo_config: Callable[..., GRPOConfig]
) -> Callable[..., GRPOTrainer]:
    """One step on completions that are given: of four, the first is right, and one of all is lost."""

    def completions() -> list[str]:
        programs = [RIGHT if place % SIZE == 0 else HALF for place in range(GROUPS * SIZE)]
        programs[LOST] = doomed(RIGHT)
        return [completion(program) for program in programs]

    def rollout(prompts: list[Any], trainer: GRPOTrainer) -> dict[str, Any]:
        texts = [
            tokenizer.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False) for prompt in prompts
        ]
        ids = [tokenizer(text)["input_ids"] for text in completions()]
        return {"prompt_ids": tokenizer(texts)["input_ids"], "completion_ids": ids, "logprobs": None}

    def run(rewards: list[Any], **columns: str) -> GRPOTrainer:
        row = {"prompt": [{"role": "user", "content": "a + b"}], **columns}
        trainer = GRPOTrainer(
            model=str(model_directory),
            reward_funcs=rewards,
            args=grpo_config(per_device_train_batch_size=GROUPS * SIZE, num_generations=SIZE, max_steps=1),
            train_dataset=Dataset.from_list([row] * GROUPS),
            processing_class=tokenizer,
            rollout_func=rollout,
        )
        trainer.train()
        return trainer

    return run


def brevity(completions: list[Any], **_: object) -> list[float]:
    """Of somebody else: it knows nothing of failures."""
    return [1.0 - len(each[0]["content"]) / 10_000 for each in completions]


@pytest.mark.parametrize("make", [CodeReward, AsyncCodeReward])
def test_a_lost_sandbox_moves_nothing(
    settings: Settings, train: Callable[..., GRPOTrainer], package: MakePackage, make: type[CodeReward]
) -> None:
    problem = str(package(CASES, metadata=METADATA, name="sum"))
    kinds = [make(kind, settings) for kind in (Kind.ACCEPTED, Kind.FORMAT, Kind.WEIGHTED)]
    trainer = train([*kinds, UnlessFailed(brevity, settings)], problem_id=problem)
    advantages = list(trainer._logs["advantages"])
    assert len(advantages) == GROUPS * SIZE
    assert advantages[LOST] == 0
    assert all(advantage > 1 for place, advantage in enumerate(advantages) if place % SIZE == 0)
    assert all(advantage < -0.1 for place, advantage in enumerate(advantages) if place % SIZE and place != LOST)
    assert {name: scores[LOST] == scores[LOST] for name, scores in trainer._logs["rewards"].items()} == dict.fromkeys(
        ("accepted", "format", "weighted", "brevity"), False
    )  # NaN, all of them
    logged = trainer.state.log_history[0]
    assert logged["judge/infra"] == pytest.approx(0.01)
    assert logged["judge/accepted"] == pytest.approx(GROUPS / 100)
    assert logged["rewards/accepted/mean"] == pytest.approx(GROUPS / 99)
    assert logged["grad_norm"] > 0


def test_a_function_that_knows_no_failures_punishes_them(
    settings: Settings, train: Callable[..., GRPOTrainer], package: MakePackage
) -> None:
    """Why there is `UnlessFailed`."""
    problem = str(package(CASES, metadata=METADATA, name="sum"))
    trainer = train([CodeReward(Kind.WEIGHTED, settings), brevity], problem_id=problem)
    assert list(trainer._logs["advantages"])[LOST] < -0.1


def test_the_row_that_trl_prints_holds_no_tests(
    settings: Settings, train: Callable[..., GRPOTrainer], caplog: pytest.LogCaptureFixture
) -> None:
    tests = Inline(tests=tuple(Case(input=given, output=wanted) for given, wanted in CASES.values())).pack()
    with caplog.at_level(logging.WARNING):
        trainer = train([CodeReward(Kind.ACCEPTED, settings)], tests=tests)
    assert list(trainer._logs["advantages"])[LOST] == 0
    assert "All reward functions returned None" in caplog.text
    assert tests not in caplog.text
