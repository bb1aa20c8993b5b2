"""The files in examples/trainers do what they say, called as each trainer calls them: by its package where that is
installed, else by a quotation of it."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.trainer_adapter.integrations import quoted
from tests.trainer_adapter.integrations.conftest import installed, package_of
from tests.trainer_adapter.integrations.test_verifiers import traced
from tests.trainer_adapter.programs import RIGHT, completion
from trainer_adapter import reward_funcs

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "trainers"
CASES = [{"input": "1 2\n", "output": "3\n"}, {"input": "5 5\n", "output": "11\n"}]
#: RIGHT passes one of two tests.
HALF_RIGHT = {"tests": CASES, "language": "c17"}

Import = Callable[..., ModuleType]


@pytest.fixture
def example(shared_cache: Path, monkeypatch: pytest.MonkeyPatch, backend: str) -> Import:
    """Imports an example, with quotations of the packages that are missing."""
    if backend != "native":
        pytest.skip("examples judge with the default backend")
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(shared_cache))
    monkeypatch.syspath_prepend(EXAMPLES)

    def found(name: str, *quotations: Callable[[], dict[str, ModuleType]]) -> ModuleType:
        for each in quotations:
            modules = each()
            if installed(list(modules)[-1]) is None:
                for module, content in modules.items():
                    monkeypatch.setitem(sys.modules, module, content)
        monkeypatch.delitem(sys.modules, name, raising=False)
        return importlib.import_module(name)

    return found


@pytest.fixture(autouse=True)
def closed() -> Any:
    yield
    reward_funcs.close()


def test_verl(example: Import) -> None:
    function = example("verl_reward").compute_score
    loader = installed("verl.trainer.ppo.reward")
    if loader is not None:
        where = {"path": str(EXAMPLES / "verl_reward.py"), "name": "compute_score"}
        function = loader.get_custom_reward_fn(
            package_of("omegaconf").OmegaConf.create({"reward": {"custom_reward_function": where}})
        )
    assert inspect.iscoroutinefunction(function), "verl awaits it"
    row = {"data_source": "taco", "ground_truth": json.dumps(CASES), "extra_info": {"language": "c17"}}
    found = asyncio.run(function(**row, solution_str=completion(RIGHT)))
    assert found == {"score": 0.5, "acc": 0.0, "verdict": "WA"}


def test_openrlhf(example: Import) -> None:
    function = example("openrlhf_reward").reward_func
    row = json.dumps(HALF_RIGHT)
    found = function([f"?{completion(RIGHT)}"] * 2, ["?"] * 2, [row, "nowhere"])
    assert [str(value) for value in found["rewards"].tolist()] == ["0.5", "nan"]


def test_swift(example: Import) -> None:
    """As its trainer makes it, by `orms[name](args=args)`, and calls it."""
    made = example("swift_plugin", quoted.swift).orms["judge"](args=None)
    rows = {"tests": [CASES] * 2, "language": ["c17"] * 2, "prompt_id": ["prompt_0"] * 2}
    assert made(completions=[completion(RIGHT)] * 2, **rows) == [0.5, 0.5]
    assert made.lost == "drop"


def test_verifiers_and_prime_rl(example: Import, tmp_path: Path) -> None:
    module = example("judge_taskset", quoted.verifiers)
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"prompt": "Add.", "problem_id": "P1001", "language": "c17"}) + "\n")
    (configured,) = tomllib.loads((EXAMPLES / "prime_rl.toml").read_text())["orchestrator"]["train"]["env"]
    assert configured["taskset"].pop("id") == module.__name__.replace("_", "-")
    config = module.Rows(**configured["taskset"] | {"file": str(rows)})
    loaders = installed("verifiers.v1.utils.loaders")
    taskset = (loaders.taskset_class("judge-taskset") if loaders else module.Programs)(config)
    (task,) = taskset.load()
    assert task.data.prompt == "Add."
    trace = traced(task, completion(RIGHT)) if loaders else SimpleNamespace(last_reply=completion(RIGHT), reward=0.0)
    asyncio.run(task.score(trace))
    assert trace.reward == 1.0


def test_skyrl(example: Import) -> None:
    pytest.importorskip("ray")
    example("skyrl_main", quoted.skyrl_gym).register()
    extras = {"reward_spec": {"ground_truth": "P1001", "language": "c17"}, "max_turns": 1}
    made = sys.modules["skyrl_gym"].make("judge", env_config={}, extras=extras)
    found = made.step(completion(RIGHT))
    assert (found["reward"], found["done"], found["observations"]) == (1.0, True, [])


def test_rllm(example: Import) -> None:
    """Its training passes the row, its evaluation a Task; both from a thread."""
    row = {"question": "Add.", "ground_truth": json.dumps(CASES), "language": "c17"}
    episode = SimpleNamespace(artifacts={"answer": completion(RIGHT)}, trajectories=[])
    for task in (row, SimpleNamespace(metadata=row)):
        found = asyncio.run(asyncio.to_thread(example("rllm_evaluator").evaluator.evaluate, task, episode))
        assert (found.reward, found.is_correct, found.metadata["verdict"]) == (0.5, False, "WA")


@pytest.mark.long
def test_nemo_rl(example: Import, monkeypatch: pytest.MonkeyPatch) -> None:
    package_of("torch")
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns of it
    ray = package_of("ray")
    ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        environment = example("nemo_rl_environment").task_to_env(kind="pass_rate")["judge"]
        log = [{"role": "user", "content": "?"}, {"role": "assistant", "content": completion(RIGHT)}]
        found = ray.get(environment.step.remote([log], [HALF_RIGHT]))
        assert (found.rewards.tolist(), found.terminateds.tolist()) == ([0.5], [True])
    finally:
        ray.shutdown()
