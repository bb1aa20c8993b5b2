"""ms-swift calls the plugin: by its sources always, by its own scoring and advantages where it is installed."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.trainer_adapter.failing import Doom, doomed
from tests.trainer_adapter.integrations.conftest import package_of
from tests.trainer_adapter.programs import CONSTANT, HALF, RIGHT, completion
from trainer_adapter.integrations.core import NoVerdict
from trainer_adapter.integrations.swift import JudgeORM, _gather
from trainer_adapter.reward_funcs import CodeReward

pytestmark = pytest.mark.usefixtures("at_once")


def orm(reward: CodeReward, lost: str = "raise") -> Any:
    made = type("Judged", (JudgeORM,), {"reward": reward, "lost": lost})
    return made(args=None)


def columns(problem: str, prompts: str, programs: list[str]) -> dict[str, Any]:
    """As ms-swift makes them of its samples: the last message is the completion."""
    texts = [completion(code) for code in programs]
    return {
        "completions": texts,
        "prompt_id": [f"prompt_{name}" for name in prompts],
        "request_id": [f"chatcmpl-{place}" for place in range(len(texts))],
        "messages": [
            [{"role": "user", "content": name}, {"role": "assistant", "content": text}]
            for name, text in zip(prompts, texts, strict=True)
        ],
        "problem_id": [problem] * len(texts),
        "language": ["c17", *[None] * (len(texts) - 1)],
        "finish_reason": ["stop"] * len(texts),
        "trainer_state": None,
    }


def test_right_and_wrong(problem: str, reward: CodeReward) -> None:
    assert orm(reward)(**columns(problem, "aa", [RIGHT, HALF])) == [1.0, 0.0]


def test_without_the_names_of_prompts(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions before 4 hand over messages alone, or completions alone."""
    Doom(monkeypatch)
    programs = [RIGHT, doomed(RIGHT), HALF]
    rows = columns(problem, "aab", programs)
    del rows["prompt_id"]
    assert orm(reward, "drop")(**rows) == [None, None, 0.0]
    del rows["messages"]
    assert orm(reward, "drop")(**rows) == [1.0, None, 0.0]


def test_a_lost_verdict_is_tried_again_and_raised(
    problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch
) -> None:
    doom = Doom(monkeypatch)
    rows = columns(problem, "aa", [RIGHT, doomed(RIGHT)])
    with pytest.raises(NoVerdict):
        orm(reward)(**rows)
    doom.lifted = True
    assert orm(reward)(**rows) == [1.0, 1.0]


def test_a_lost_verdict_drops_its_group_alone(
    problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch
) -> None:
    Doom(monkeypatch)
    rows = columns(problem, "aabb", [RIGHT, doomed(RIGHT), RIGHT, CONSTANT])
    assert orm(reward, "drop")(**rows) == [None, None, 1.0, 0.0]


def test_an_unknown_policy_is_refused(reward: CodeReward) -> None:
    with pytest.raises(ValueError, match="zero"):
        orm(reward, "zero")


def _rank(rank: int, meeting: str) -> dict[str, str]:
    import torch.distributed as ranks

    ranks.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    try:
        return _gather({"prompt_3": "lost"} if rank else {})
    finally:
        ranks.destroy_process_group()


def test_all_ranks_learn_of_a_lost_verdict(tmp_path: Path) -> None:
    """Else one rank would raise while the others wait for it, or a group would be dropped by half."""
    package_of("torch")
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(_rank, range(2), [str(tmp_path / "meeting")] * 2))
    assert found == [{"prompt_3": "lost"}] * 2


def advantages(reward: CodeReward, problem: str, programs: list[str], lost: str) -> tuple[list[float], list[float]]:
    """What ms-swift makes of a group of four, and the deviation by which `--dynamic_sample` decides."""
    algorithm, data = package_of("swift.rl_core.grpo_algorithm"), package_of("swift.rl_core.data")
    advantage, torch = package_of("swift.rl_core.advantage"), package_of("torch")
    rows = columns(problem, "a" * len(programs), programs)
    samples = [
        data.GRPOSample(messages=each, prompt_id="prompt_0", extra={"problem_id": problem, "language": "c17"})
        for each in rows["messages"]
    ]
    rewards = algorithm.score_completions(samples, [orm(reward, lost)], [None], False, torch.device("cpu"))
    found, total = advantage.compute_advantages(rewards, torch.ones(1), num_generations=len(programs))
    return [round(value, 2) for value in found.tolist()], [total.view(-1, len(programs)).std(dim=1).item()]


def test_the_advantages_of_ms_swift(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    Doom(monkeypatch)
    assert advantages(reward, problem, [RIGHT, RIGHT, RIGHT, HALF], "raise")[0] == [0.5, 0.5, 0.5, -1.5]
    assert advantages(reward, problem, [RIGHT, RIGHT, RIGHT, doomed(RIGHT)], "drop") == ([0.0] * 4, [0.0])
    with pytest.raises(NoVerdict):
        advantages(reward, problem, [RIGHT, RIGHT, RIGHT, doomed(RIGHT)], "raise")
