"""SkyRL, NeMo-RL and rLLM: by the signatures of their sources always; SkyRL's gym where it is installed."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.trainer_adapter.failing import Doom, doomed
from tests.trainer_adapter.integrations.conftest import package_of
from tests.trainer_adapter.programs import CONSTANT, HALF, RIGHT, completion
from trainer_adapter.integrations.core import NoVerdict
from trainer_adapter.integrations.nemo_rl import JudgeEnvironment
from trainer_adapter.integrations.rllm import JudgeEvaluator, code_reward_fn
from trainer_adapter.integrations.skyrl_gym import JudgeEnv
from trainer_adapter.reward_funcs import CodeReward, Kind


@pytest.fixture
def env(reward: CodeReward) -> type[JudgeEnv]:
    return type("Env", (JudgeEnv,), {"reward": reward})


def test_an_episode_of_skyrl(env: type[JudgeEnv], problem: str) -> None:
    for code, paid, verdict in ((RIGHT, 1.0, "AC"), (HALF, 0.0, "WA")):
        one = env(env_config={}, extras={"reward_spec": {"ground_truth": problem}, "max_turns": 1})
        found = one.step(completion(code))
        assert (found["observations"], found["reward"], found["done"]) == ([], paid, True)
        assert found["metadata"]["verdict"] == verdict
        assert one.get_metrics() == {"accepted": paid}


def test_an_episode_of_skyrl_with_turns_of_repair(env: type[JudgeEnv], problem: str) -> None:
    """A sample says why, in every turn but the last."""
    one = env(extras={"problem_id": problem, "max_turns": 3})
    for _ in range(2):
        told = one.step(completion(HALF))
        assert (told["done"], told["reward"], told["observations"][0]["role"]) == (False, 0.0, "user")
        assert "Right output:\n```\n3\n```" in told["observations"][0]["content"]
    last = one.step(completion(HALF))
    assert (last["done"], last["reward"], last["observations"]) == (True, 0.0, [])
    other = env(extras={"problem_id": problem, "max_turns": 3})
    assert other.step(completion(RIGHT))["done"]


@pytest.mark.usefixtures("at_once")
def test_skyrl_is_told_of_a_lost_verdict(env: type[JudgeEnv], problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    doom = Doom(monkeypatch)
    one, program = env(extras={"problem_id": problem}), completion(doomed(RIGHT))
    with pytest.raises(NoVerdict):
        one.step(program)
    doom.lifted = True
    assert one.step(program)["reward"] == 1.0


def test_skyrl_gym_makes_the_environment(backend: str) -> None:
    gym = package_of("skyrl_gym")
    gym.register(id="judged", entry_point="trainer_adapter.integrations.skyrl_gym:JudgeEnv")
    made = gym.make("judged", env_config={}, extras={"reward_spec": {"ground_truth": "P1001"}, "max_turns": 1})
    prompt = [{"role": "user", "content": "?"}]
    assert made.init(prompt) == (prompt, {})
    if backend == "native":
        assert made.step(completion(RIGHT))["reward"] == 1.0
        assert type(made).aggregate_metrics([made.get_metrics(), {"accepted": 0.0}]) == {"accepted": 0.5}
    made.close()


def nemo(reward: CodeReward) -> JudgeEnvironment:
    package_of("torch")
    how = {name: getattr(reward.settings, name) for name in ("language", "slots", "backend", "cache_directory")}
    return JudgeEnvironment({"kind": "pass_rate", "settings": how})


def log(prompt: str, code: str) -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": prompt},
        {"role": "assistant", "content": completion(code)},
    ]


def test_a_step_of_nemo_rl(problem: str, reward: CodeReward) -> None:
    logs, metadata = [log("?", RIGHT), log("?", HALF)], [{"ground_truth": problem}] * 2
    observations, again, stops, rewards, terminated, answers = nemo(reward).step(logs, metadata)
    assert observations == [{"role": "environment", "content": ""}] * 2
    assert (again, stops, answers) == (metadata, [None, None], ["AC", "WA"])
    assert rewards.tolist() == [1.0, 0.5]
    assert terminated.tolist() == [True, True]


@pytest.mark.usefixtures("at_once")
def test_nemo_rl_gets_the_mean_of_the_prompt_for_a_lost_verdict(
    problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that its advantage is 0, with and without itself in the baseline."""
    environment = nemo(reward)
    Doom(monkeypatch)
    logs = [log("a", RIGHT), log("a", HALF), log("a", doomed(RIGHT)), log("b", CONSTANT)]
    assert environment.step(logs, [problem] * 4).rewards.tolist() == [1.0, 0.5, 0.75, 0.25]
    with pytest.raises(NoVerdict):
        environment.step([log("a", RIGHT), log("b", doomed(RIGHT))], [problem] * 2)


def test_an_actor_of_ray(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    package_of("torch")
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns of it
    ray = package_of("ray")
    ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        how = {name: getattr(reward.settings, name) for name in ("language", "slots", "backend", "cache_directory")}
        actor = ray.remote(JudgeEnvironment).remote({"settings": how})
        asked = [actor.step.remote([log("?", code)], [problem]) for code in (RIGHT, HALF)]
        assert [found.rewards.tolist() for found in ray.get(asked)] == [[1.0], [0.0]]
        with pytest.raises(ray.exceptions.RayTaskError, match="NoVerdict"):
            ray.get(actor.step.remote([log("?", RIGHT)], ["nowhere"]))
    finally:
        ray.shutdown()


def test_a_reward_function_of_rllm(problem: str, reward: CodeReward) -> None:
    info = {"data_source": "taco", "ground_truth": problem, "question": "?"}
    right = code_reward_fn(info, completion(RIGHT), reward=reward)
    wrong = code_reward_fn(info, SimpleNamespace(action=completion(HALF)), reward=replace(reward, kind=Kind.PASS_RATE))
    assert (right.reward, right.is_correct, right.metadata) == (1.0, True, {"verdict": "AC"})
    assert (wrong.reward, wrong.is_correct, wrong.metadata) == (0.5, False, {"verdict": "WA"})


@pytest.mark.parametrize("where", ["artifact", "output", "step", "response", "nowhere", "no trajectory"])
def test_an_evaluator_of_rllm(where: str, problem: str, reward: CodeReward) -> None:
    text = completion(RIGHT)
    step = SimpleNamespace(output=None, model_response=text if where == "response" else None)
    if where == "step":
        step = SimpleNamespace(output=text)
    trajectory = SimpleNamespace(output=text if where == "output" else None, steps=[step])
    episode = SimpleNamespace(
        artifacts={"answer": text} if where == "artifact" else {},
        trajectories=[] if where == "no trajectory" else [trajectory],
    )
    evaluator = JudgeEvaluator(reward)
    row = {"ground_truth": problem}
    for task in (row, SimpleNamespace(metadata=row), SimpleNamespace(data=row)):
        found = evaluator.evaluate(task, episode)
        assert found.is_correct is (where not in ("nowhere", "no trajectory"))
        assert found.signals == []


def test_rllm_is_told_of_a_lost_verdict(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    Doom(monkeypatch)
    episode = SimpleNamespace(artifacts={"answer": completion(doomed(RIGHT))}, trajectories=[])
    with pytest.raises(NoVerdict):
        asyncio.run(asyncio.to_thread(JudgeEvaluator(reward).evaluate, {"ground_truth": problem}, episode))
