"""Programs that are judged before the reward functions are called, and how long a trainer waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge import Verdict
from tests.conftest import MakePackage
from tests.trainer_adapter.programs import CASES, HALF, METADATA, PROGRAMS, RIGHT, message
from tests.trainer_adapter.runs import Configure
from trainer_adapter import reward_funcs
from trainer_adapter.reward_funcs import CodeReward, Kind, Settings
from trainer_adapter.rewards.judged_step import Asked, Columns, begin
from trainer_adapter.rewards.shared_judge import shared_judge
from trainer_adapter.training import named_rewards, train


@pytest.fixture
def settings(backend: str, shared_cache: Path) -> Iterator[Settings]:
    yield Settings(language="c17", slots=1, backend=backend, cache_directory=shared_cache)
    reward_funcs.close()


def test_a_step_that_began_before_its_rewards(settings: Settings, package: MakePackage) -> None:
    problem = str(package(CASES, metadata=METADATA, name="sum"))
    completions = [message(RIGHT), message(HALF), message(RIGHT)]
    asked = Asked(shared_judge(settings))
    early = asked.row(completions[0], problem, None, None)
    early.verdict.result()
    columns: dict[str, Any] = {"problem_id": [problem] * 3}
    begin(asked, Columns(completions=completions, **columns))
    logged: list[tuple[str, float]] = []
    for kind, paid in ((Kind.ACCEPTED, [1.0, 0.0, 1.0]), (Kind.FORMAT, [0.1] * 3)):
        reward = CodeReward(kind, settings)
        assert reward(completions=completions, log_metric=lambda *pair: logged.append(pair), **columns) == paid
    found = dict(logged)
    assert len(found) == len(logged), "the first function alone reports"
    assert found["judge/cache_hits"] == 0, "what was asked early belongs to this step"
    assert 0 <= found["judge/wait_s"] < found["judge/wall_s"]


def test_the_share_that_a_trainer_waits(settings: Settings, package: MakePackage) -> None:
    problem = str(package(CASES, metadata=METADATA, name="sum"))
    logs: list[dict[str, float]] = []
    for program in (RIGHT, HALF):
        logs.append({})
        columns = {"problem_id": [problem], "log_metric": logs[-1].__setitem__}
        CodeReward(settings=settings)(completions=[message(f"// waited for\n{program}")], **columns)
    assert "judge/wait_share" not in logs[0], "nothing was judged before"
    assert 0.5 < logs[1]["judge/wait_share"] <= 1, "this trainer does nothing but wait"


def test_each_completion_is_judged_when_it_ends(configure: Configure, monkeypatch: pytest.MonkeyPatch) -> None:
    """With so many tokens that end a text, some completions end early, and some never."""
    trainer: Any = train.build(
        configure(grpo={"max_completion_length": 16, "max_steps": 1}, reward={"functions": ("accepted",)})
    )
    ends = list(range(40))
    trainer.eos_token_ids = trainer.generation_config.eos_token_id = ends
    batches: list[list[list[int]]] = []
    early: dict[int, list[int]] = {}
    generate, ended = trainer._generate, trainer._on_ended

    def generated(prompts: list[Any]) -> Any:
        found = generate(prompts)
        batches.append(found[1])
        return found

    def told(asked: Asked, place: int, ids: list[int]) -> None:
        assert not batches, "the batch is still being sampled"
        early[place] = ids
        ended(asked, place, ids)

    monkeypatch.setattr(trainer, "_generate", generated)
    monkeypatch.setattr(trainer, "_on_ended", told)
    trainer.train()
    reward_funcs.close()
    (batch,) = batches
    assert early == {place: ids for place, ids in enumerate(batch) if ids[-1] in ends}
    assert 0 < len(early) < len(batch)
    (log,) = [each for each in trainer.state.log_history if "reward" in each]
    assert log["judge/no_code"] == 1
    assert log["judge/wait_s"] >= 0


@pytest.mark.parametrize("turns", [1, 2])
def test_what_is_judged_early_changes_nothing_that_is_learnt(configure: Configure, turns: int) -> None:
    curves = []
    for early in (True, False):
        sections = {
            "reward": {"functions": ("tests.trainer_adapter.runs:length", "format")},
            "repair": {"turns": turns},
        }
        trainer: Any = train.build(configure(grpo={"max_steps": 2, "save_strategy": "no"}, **sections))
        assert trainer.judging is not None
        trainer.judging = trainer.judging if early else None
        trainer.train()
        reward_funcs.close()
        curves.append([(log["reward"], log["loss"]) for log in trainer.state.log_history if "reward" in log])
    assert curves[0] == curves[1]
    assert len(curves[0]) == 2


def test_programs_are_judged_while_another_function_is_awaited(configure: Configure, package: MakePackage) -> None:
    """TRL awaits async functions together: a rating that takes long and the judge do not wait for one another."""
    problem = str(package(CASES, metadata="limits: {time_limit: 1}\n", name="sum"))
    functions = ("tests.trainer_adapter.runs:beside", "accepted")
    rewards = named_rewards.rewards(configure(reward={"functions": functions, "slots": 1}))
    columns = {"completions": [message(PROGRAMS[Verdict.TLE])], "problem_id": [problem], "language": ["c17"]}

    async def together() -> list[Any]:
        return await asyncio.gather(*(reward(**columns) for reward in rewards))

    assert asyncio.run(together()) == [[1.0], [0.0]]
    reward_funcs.close()
