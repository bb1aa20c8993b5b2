"""verl calls the functions: by its signature always, by its reward managers where it is installed."""

from __future__ import annotations

import asyncio
import inspect
import json
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from tests.trainer_adapter.failing import Doom, doomed
from tests.trainer_adapter.integrations.conftest import package_of
from tests.trainer_adapter.programs import CASES, HALF, RIGHT, completion
from trainer_adapter.integrations.core import NoVerdict
from trainer_adapter.integrations.verl import compute_score, compute_score_async, compute_scores
from trainer_adapter.reward_funcs import CodeReward

INPUTS, OUTPUTS = zip(*CASES.values(), strict=True)
GROUND_TRUTH = json.dumps({"inputs": INPUTS, "outputs": OUTPUTS})
EXTRA = {"index": 3, "split": "train", "num_turns": None, "rollout_reward_scores": {}, "language": "c17"}
PAID = [{"score": 1.0, "acc": 1.0, "verdict": "AC"}, {"score": 0.0, "acc": 0.0, "verdict": "WA"}]


def row(code: str) -> dict[str, Any]:
    return {
        "data_source": "taco",
        "solution_str": completion(code),
        "ground_truth": GROUND_TRUTH,
        "extra_info": dict(EXTRA),
    }


def test_one_by_one(reward: CodeReward) -> None:
    assert [compute_score(**row(code), reward=reward, reward_router_address=None) for code in (RIGHT, HALF)] == PAID


def test_at_the_same_time(reward: CodeReward) -> None:
    async def both() -> list[Any]:
        return await asyncio.gather(*(compute_score_async(**row(code), reward=reward) for code in (RIGHT, HALF)))

    assert asyncio.run(both()) == PAID


def test_in_a_batch(reward: CodeReward) -> None:
    rows = [row(RIGHT), row(HALF)]
    columns: dict[str, Any] = {f"{name}s": [each[name] for each in rows] for name in rows[0]}
    assert compute_scores(**columns, reward=reward) == PAID
    assert compute_scores(**(columns | {"extra_infos": None}), reward=reward) == PAID


@pytest.mark.usefixtures("at_once")
def test_a_lost_verdict_is_raised_and_is_no_time_out(reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    """verl's NaiveRewardManager makes a TimeoutError a 0."""
    Doom(monkeypatch)
    lost = row(doomed(RIGHT))
    with pytest.raises(NoVerdict) as caught:
        compute_score(**lost, reward=reward)
    assert not isinstance(caught.value, TimeoutError)
    with pytest.raises(NoVerdict):
        asyncio.run(compute_score_async(**lost, reward=reward))
    with pytest.raises(NoVerdict):
        compute_scores(["taco"], [lost["solution_str"]], [GROUND_TRUTH], reward=reward)


class Words:
    """A tokenizer whose tokens are characters."""

    def decode(self, ids: Any, skip_special_tokens: bool) -> str:
        return "".join(map(chr, ids.tolist()))


def batch(programs: list[str]) -> Any:
    """Rollouts as verl's agent loop hands them to a reward manager."""
    torch, numpy = package_of("torch"), package_of("numpy")
    texts = [completion(code) for code in programs]
    width = max(map(len, texts))
    responses = torch.tensor([[*map(ord, text), *[0] * (width - len(text))] for text in texts])
    prompts = torch.full((len(texts), 4), ord("?"))
    mask = torch.cat([torch.ones_like(prompts), (responses != 0).long()], dim=1)
    others = {
        "data_source": numpy.array(["taco"] * len(texts), dtype=object),
        "reward_model": numpy.array([{"style": "rule", "ground_truth": GROUND_TRUTH}] * len(texts), dtype=object),
        "extra_info": numpy.array([dict(EXTRA) for _ in texts], dtype=object),
    }
    tensors = {"prompts": prompts, "responses": responses, "attention_mask": mask}
    return package_of("verl").DataProto.from_dict(tensors=tensors, non_tensors=others)


@pytest.mark.parametrize("function", [compute_score, compute_score_async])
@pytest.mark.parametrize("name", ["naive", "dapo"])
def test_the_managers_of_the_reward_loop(name: str, function: Any, reward: CodeReward) -> None:
    managers = package_of("verl.experimental.reward_loop.reward_manager")
    config = package_of("omegaconf").OmegaConf.create(
        {"reward": {"reward_kwargs": {}, "reward_model": {}}, "data": {"max_response_length": 9}}
    )
    data = batch([RIGHT, HALF])

    async def run() -> list[dict[str, Any]]:
        manager = managers.get_reward_manager_cls(name)(config, Words(), partial(function, reward=reward))
        manager.loop = asyncio.get_running_loop()
        return await asyncio.gather(*(manager.run_single(data[place : place + 1]) for place in range(2)))

    found = asyncio.run(run())
    assert [each["reward_score"] for each in found] == [1.0, 0.0]
    assert [each["reward_extra_info"]["verdict"] for each in found] == ["AC", "WA"]


def test_its_loader_finds_the_functions_and_knows_which_are_awaited() -> None:
    loader, omegaconf = package_of("verl.trainer.ppo.reward"), package_of("omegaconf")
    for name, is_async in (("compute_score", False), ("compute_score_async", True)):
        where = {"path": "pkg://trainer_adapter.integrations.verl", "name": name, "reward_kwargs": {}}
        config = omegaconf.OmegaConf.create({"reward": {"custom_reward_function": where}})
        assert inspect.iscoroutinefunction(loader.get_custom_reward_fn(config)) is is_async


@pytest.mark.parametrize(("name", "function"), [("naive", compute_score), ("batch", compute_scores)])
def test_the_managers_of_older_versions(name: str, function: Any, reward: CodeReward) -> None:
    managers = package_of("verl.workers.reward_manager")
    manager = managers.get_reward_manager_cls(name)(Words(), 0, partial(function, reward=reward))
    found = manager(batch([RIGHT, HALF]), return_dict=True)
    assert found["reward_tensor"].sum(dim=-1).tolist() == [1.0, 0.0]
    assert list(found["reward_extra_info"]["verdict"]) == ["AC", "WA"]


def test_words_among_its_metrics_of_validation_are_skipped() -> None:
    metrics = package_of("verl.trainer.ppo.metric_utils")
    infos = {name: [each[name] for each in PAID] for name in PAID[0]} | {"reward": [1.0, 0.0]}
    found = metrics.process_validation_metrics(["taco"] * 2, ["a", "b"], infos)
    assert found["taco"]["acc"]["mean@1"] == 0.5
    assert "verdict" not in found["taco"]


def test_a_lost_verdict_fails_its_group(reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    """`_settle_session_tasks` is what verl 0.9 asks whether a group has failed; what then, is for its replay buffer."""
    loop = package_of("verl.trainer.ppo.v1.agent_loop_tq")
    Doom(monkeypatch)

    async def run() -> list[Any]:
        programs = (RIGHT, doomed(RIGHT))
        tasks = [asyncio.create_task(compute_score_async(**row(code), reward=reward)) for code in programs]
        return list(await loop._settle_session_tasks(tasks))

    (error,) = asyncio.run(run())
    assert isinstance(error, NoVerdict)


def test_signature() -> None:
    """As its documentation gives it: `compute_score(data_source, solution_str, ground_truth, extra_info=None)`."""
    for function in (compute_score, compute_score_async):
        inspect.signature(function).bind("taco", "text", "P1001", None)
        inspect.signature(function).bind(**vars(SimpleNamespace(**row(RIGHT))), reward_model_tokenizer=None)
