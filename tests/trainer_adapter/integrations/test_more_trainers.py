"""slime, miles, AReaL, Tinker, ART, NeMo Gym, OpenEnv and open-instruct: by the signatures of their sources always; by
their own code where it is installed."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.trainer_adapter.failing import Doom, doomed
from tests.trainer_adapter.integrations.conftest import package_of
from tests.trainer_adapter.programs import HALF, RIGHT, completion
from trainer_adapter.integrations import nemo_gym
from trainer_adapter.integrations.areal import JudgeWorkflow
from trainer_adapter.integrations.art import judge_trajectory
from trainer_adapter.integrations.core import NoVerdict
from trainer_adapter.integrations.slime import judge_reward
from trainer_adapter.reward_funcs import CodeReward

pytestmark = pytest.mark.usefixtures("at_once")


def sample(code: str, problem: str) -> Any:
    text = completion(code)
    return SimpleNamespace(prompt="?", response=text, label=problem, metadata={}, remove_sample=False)


def test_slime(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    Doom(monkeypatch)

    async def judged(*programs: str) -> tuple[list[float], list[bool]]:
        group = [sample(code, problem) for code in programs]
        return await judge_reward(None, group, reward=reward), [each.remove_sample for each in group]

    assert asyncio.run(judge_reward(None, sample(RIGHT, problem), reward=reward)) == 1.0
    assert asyncio.run(judged(RIGHT, HALF, doomed(RIGHT))) == ([1.0, 0.0, 0.5], [False, False, True])
    with pytest.raises(NoVerdict):
        asyncio.run(judged(doomed(RIGHT)))
    with pytest.raises(NoVerdict):
        asyncio.run(judge_reward(None, sample(doomed(RIGHT), problem), reward=reward))


@pytest.mark.parametrize("name", ["slime", "miles"])
def test_what_slime_and_miles_train_on(
    name: str, problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub, types = package_of(f"{name}.rollout.rm_hub"), package_of(f"{name}.utils.types")
    Doom(monkeypatch)
    monkeypatch.setattr(judge_reward, "__kwdefaults__", {"reward": reward})
    args = SimpleNamespace(custom_rm_path="trainer_adapter.integrations.slime.judge_reward", multi_lora=None)
    monkeypatch.setattr(hub, "is_multi_lora_enabled", lambda _: False, raising=False)
    group = [
        types.Sample(prompt="?", response=completion(code), label=problem) for code in (RIGHT, HALF, doomed(RIGHT))
    ]
    assert asyncio.run(hub.batched_async_rm(args, group)) == [1.0, 0.0, 0.5]
    assert [each.remove_sample for each in group] == [False, False, True]
    assert asyncio.run(hub.async_rm(args, group[0])) == 1.0
    with pytest.raises(NoVerdict):
        asyncio.run(hub.async_rm(args, group[2]))


class Letters:
    """A tokenizer whose tokens are characters."""

    pad_token_id = eos_token_id = 0

    def decode(self, ids: list[int]) -> str:
        return "".join(map(chr, ids))

    def apply_chat_template(self, messages: Any, **_: object) -> list[int]:
        return [ord(letter) for letter in messages[-1]["content"]]


def response(code: str) -> Any:
    tokens = [ord(letter) for letter in completion(code)]
    return SimpleNamespace(
        input_tokens=[ord("?")],
        input_len=1,
        output_tokens=tokens,
        output_len=len(tokens),
        output_logprobs=[0.0] * len(tokens),
        output_versions=[0] * len(tokens),
    )


def test_areal(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    Doom(monkeypatch)
    workflow: Any = object.__new__(type("Workflow", (JudgeWorkflow,), {"reward": reward}))
    workflow.tokenizer = Letters()

    async def paid(code: str) -> float:
        return float(await workflow._compute_rewards(response(code), "?", {"messages": [], "problem_id": problem}))

    assert [asyncio.run(paid(code)) for code in (RIGHT, HALF)] == [1.0, 0.0]
    with pytest.raises(NoVerdict):
        asyncio.run(paid(doomed(RIGHT)))


def test_a_group_of_areal(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its executor rejects what raises, and draws another prompt."""
    engine, args = package_of("areal.infra.remote_inf_engine"), package_of("areal.api.cli_args")
    Doom(monkeypatch)

    class Judged(JudgeWorkflow):
        pass

    Judged.reward = reward

    async def group(*programs: str) -> Any:
        left = iter(programs)

        async def agenerate(_: object) -> Any:
            return response(next(left))

        workflow = Judged(args.GenerationHyperparameters(), Letters(), get_input_ids_fn=lambda *_: [ord("?")])
        grouped = engine.GroupedRolloutWorkflow(workflow, len(programs), None)
        return await grouped.arun_episode(SimpleNamespace(agenerate=agenerate), {"messages": [], "problem_id": problem})

    assert asyncio.run(group(RIGHT, HALF))["rewards"].tolist() == [1.0, 0.0]
    with pytest.raises(NoVerdict):
        asyncio.run(group(RIGHT, doomed(RIGHT)))


def test_the_cookbook_of_tinker(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    env, rollouts = package_of("tinker_cookbook.rl.problem_env"), package_of("tinker_cookbook.rl.rollouts")
    strategy, completers = package_of("tinker_cookbook.rl.rollout_strategy"), package_of("tinker_cookbook.completers")
    base, tinker = package_of("tinker_cookbook.renderers.base"), package_of("tinker")
    from trainer_adapter.integrations.tinker import JudgeEnv

    Doom(monkeypatch)

    class Renderer:
        def get_stop_sequences(self) -> list[str]:
            return ["\0"]

        def build_generation_prompt(self, _: object) -> Any:
            return tinker.ModelInput.from_ints([1])

        def parse_response(self, tokens: list[int]) -> Any:
            message = {"role": "assistant", "content": "".join(map(chr, tokens))}
            return message, base.ParseTermination.STOP_SEQUENCE

    Judged = type("Judged", (JudgeEnv,), {"reward": reward})

    def group(how: Any, *programs: str) -> list[float]:
        left = iter(programs)

        async def policy(*_: object) -> Any:
            tokens = [ord(letter) for letter in completion(next(left))]
            return completers.TokensWithLogprobs(tokens=tokens, maybe_logprobs=[0.0] * len(tokens))

        builder = env.ProblemGroupBuilder(lambda: Judged(Renderer(), "?", problem), 2)
        return list(asyncio.run(rollouts.do_group_rollout(builder, policy, how)).get_total_rewards())

    assert group(strategy.FailFast(), RIGHT, HALF) == [1.0, 0.0]
    with pytest.raises(NoVerdict):
        group(strategy.FailFast(), RIGHT, doomed(RIGHT))
    assert group(strategy.RetryOnFailure(1), RIGHT, doomed(RIGHT), RIGHT) == [1.0, 1.0]
    with pytest.raises(NoVerdict):
        group(strategy.RetryOnFailure(1), RIGHT, doomed(RIGHT), doomed(RIGHT))


class Trajectory:
    """With what is used of ART's."""

    def __init__(self, code: str) -> None:
        self.reward, self.metrics, self.metadata = 0.0, dict[str, float](), dict[str, str]()
        self._code = code

    def messages(self) -> list[dict[str, str]]:
        return [{"role": "user", "content": "?"}, {"role": "assistant", "content": completion(self._code)}]


def test_art(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    Doom(monkeypatch)
    right, wrong = (asyncio.run(judge_trajectory(Trajectory(code), problem, reward)) for code in (RIGHT, HALF))
    assert (right.reward, right.metrics, right.metadata) == (1.0, {"accepted": 1.0}, {"verdict": "AC"})
    assert (wrong.reward, wrong.metrics, wrong.metadata) == (0.0, {"accepted": 0.0}, {"verdict": "WA"})
    with pytest.raises(NoVerdict):
        asyncio.run(judge_trajectory(Trajectory(doomed(RIGHT)), problem, reward))


def test_a_group_of_art(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it asks the network when it is imported
    art = package_of("art")
    Doom(monkeypatch)

    async def rollout(code: str) -> Any:
        return await judge_trajectory(art.Trajectory(messages_and_choices=Trajectory(code).messages()), problem, reward)

    async def group(most: int, *programs: str) -> list[float]:
        groups = (art.TrajectoryGroup(rollout(code) for code in programs) for _ in range(1))
        found = await art.gather_trajectory_groups(groups, pbar_desc=None, max_exceptions=most)
        return sorted(each.reward for each in found[0].trajectories)

    assert asyncio.run(group(0, RIGHT, HALF)) == [0.0, 1.0]
    assert asyncio.run(group(1, RIGHT, HALF, doomed(RIGHT))) == [0.0, 1.0]
    with pytest.raises(NoVerdict):
        asyncio.run(group(0, RIGHT, doomed(RIGHT)))


def test_open_instruct(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its `apply_verifiable_reward` adds up what the verifiers of a row give, and lets their exceptions through."""
    utils = package_of("open_instruct.ground_truth_utils")
    from trainer_adapter.integrations.open_instruct import JudgeVerifier

    Doom(monkeypatch)
    monkeypatch.setattr(JudgeVerifier, "reward", reward)
    assert JudgeVerifier in utils.VerifierFunction.__subclasses__(), "build_all_verifiers makes one of each"
    verifiers = {"judge": JudgeVerifier(utils.VerifierConfig())}

    def paid(*programs: str) -> list[float]:
        texts, rows = [completion(code) for code in programs], [problem] * len(programs)
        names = ["judge"] * len(programs)
        return list(asyncio.run(utils.apply_verifiable_reward(verifiers, texts, texts, rows, names))[0])

    assert paid(RIGHT, HALF) == [1.0, 0.0]
    assert verifiers["judge"]([], completion(RIGHT), problem).score == 1.0
    with pytest.raises(NoVerdict):
        paid(RIGHT, doomed(RIGHT))


EXAMPLES = str(Path(__file__).resolve().parents[3] / "examples" / "trainers")


def test_nemo_gym(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    Doom(monkeypatch)

    def verified(code: str, **how: bool) -> Any:
        return asyncio.run(nemo_gym.verify(completion(code), {"problem_id": problem}, reward, **how))

    assert verified(RIGHT) == {"reward": 1.0, "mask_sample": False, "verdict": "AC"}
    assert verified(HALF) == {"reward": 0.0, "mask_sample": False, "verdict": "WA"}
    assert verified(doomed(RIGHT), mask_lost=True)["mask_sample"]
    with pytest.raises(NoVerdict):
        verified(doomed(RIGHT))


def test_a_resources_server_of_nemo_gym(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    package_of("nemo_gym.base_resources_server")
    client = package_of("fastapi.testclient").TestClient
    monkeypatch.syspath_prepend(EXAMPLES)
    app = package_of("nemo_gym_app")
    Doom(monkeypatch)
    monkeypatch.setattr(nemo_gym, "verify", partial(nemo_gym.verify, reward=reward))

    def posted(code: str, *, mask_lost: bool) -> Any:
        config = app.Config(host="127.0.0.1", port=1, entrypoint="app.py", name="judge", mask_lost=mask_lost)
        server = app.JudgeServer.model_construct(config=config, server_client=None)
        text = {"type": "output_text", "text": completion(code), "annotations": []}
        message = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [text]}
        answer = {"id": "r", "created_at": 0.0, "model": "m", "object": "response", "output": [message]}
        answer |= {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
        asked = {"responses_create_params": {"input": "?"}, "response": answer}
        with client(server.setup_webserver(), raise_server_exceptions=False) as http:
            return http.post("/verify", json=asked | {"verifier_metadata": {"problem_id": problem}})

    assert [posted(code, mask_lost=False).json()["reward"] for code in (RIGHT, HALF)] == [1.0, 0.0]
    assert posted(doomed(RIGHT), mask_lost=True).json()["mask_sample"]
    assert posted(doomed(RIGHT), mask_lost=False).status_code == 500


def test_an_environment_of_openenv(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    generic, uvicorn = package_of("openenv.core.generic_client"), package_of("uvicorn")
    package_of("openenv.core.env_server")
    monkeypatch.syspath_prepend(EXAMPLES)
    module = package_of("openenv_server")
    Doom(monkeypatch)
    monkeypatch.setattr(module.Programming, "reward", reward)
    server = uvicorn.Server(uvicorn.Config(module.app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
        port = server.servers[0].sockets[0].getsockname()[1]

        async def episode(code: str) -> Any:
            async with generic.GenericEnvClient(base_url=f"http://127.0.0.1:{port}") as env:
                await env.reset(problem_id=problem)
                return await env.step({"completion": completion(code)})

        right, wrong = (asyncio.run(episode(code)) for code in (RIGHT, HALF))
        assert (right.reward, right.done, right.observation["verdict"]) == (1.0, True, "AC")
        assert (wrong.reward, wrong.done, wrong.observation["verdict"]) == (0.0, True, "WA")
        with pytest.raises(RuntimeError, match="not judged"):
            asyncio.run(episode(doomed(RIGHT)))
    finally:
        server.should_exit = True
        thread.join()
