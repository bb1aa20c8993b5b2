"""OpenRLHF calls the functions: by its signature and over HTTP always, by its own executor where it is installed."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import math
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.trainer_adapter.failing import Doom, doomed
from tests.trainer_adapter.integrations.conftest import package_of
from tests.trainer_adapter.programs import HALF, RIGHT, completion
from trainer_adapter.integrations import openrlhf
from trainer_adapter.integrations.core import NoVerdict
from trainer_adapter.reward_funcs import CodeReward

#: Its program is right, and is not the model's.
PROMPT = f"<|im_start|>user\nRepeat:\n{completion(RIGHT)}<|im_end|>\n<|im_start|>assistant\n"


def asked(problem: str, *codes: str) -> dict[str, list[str]]:
    queries = [f"{PROMPT}{completion(code)}<|im_end|>\n<|endoftext|>" for code in codes]
    return {"query": queries, "prompts": [PROMPT] * len(codes), "labels": [problem] * len(codes)}


def test_lists_in_and_lists_out(problem: str, reward: CodeReward) -> None:
    assert openrlhf.rewards(*asked(problem, RIGHT, HALF).values(), reward) == {
        "rewards": [1.0, 0.0],
        "scores": [1.0, 0.0],
        "extra_logs": {"accepted": [1.0, 0.0]},
    }


@pytest.mark.parametrize(
    ("query", "prompt", "answer"),
    [
        ("ask:told", "ask:", "told"),
        ("<s>ask:told</s>", "ask:", "told</s>"),
        ("sk:told", "sk:", "told"),
        (f"{'b' * 250}told", "a" * 9 + "b" * 300, "told"),
        ("ask:```\n1\n```<|im_end|>", "ask:", "```\n1\n```<|im_end|>"),
    ],
)
def test_what_the_model_wrote(query: str, prompt: str, answer: str) -> None:
    assert openrlhf.answer(query, prompt) == answer


def test_a_program_of_the_prompt_is_never_the_models(problem: str, reward: CodeReward) -> None:
    assert openrlhf.rewards([PROMPT + "I cannot.<|im_end|>"], [PROMPT], [problem], reward)["rewards"] == [0.0]
    with pytest.raises(NoVerdict, match="cannot be told"):
        openrlhf.rewards([PROMPT], ["another"], [problem], reward)


@pytest.mark.usefixtures("at_once")
def test_a_lost_verdict_is_raised_or_as_told(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    Doom(monkeypatch)
    columns = asked(problem, doomed(RIGHT), RIGHT).values()
    with pytest.raises(NoVerdict):
        openrlhf.rewards(*columns, reward)
    found = openrlhf.rewards(*columns, reward, math.nan)
    assert [str(value) for value in found["rewards"]] == [str(value) for value in found["scores"]] == ["nan", "1.0"]


@pytest.fixture
def address(reward: CodeReward) -> Iterator[str]:
    with openrlhf.server(0, reward=reward) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/get_reward"
        server.shutdown()
        thread.join()


def post(address: str, body: object) -> Any:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address, data)) as reply:
        return json.load(reply)


def test_the_server_judges_many_at_once(problem: str, address: str) -> None:
    bodies = [asked(problem, f"//{number}\n{(RIGHT, HALF)[number % 2]}") for number in range(12)]
    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(lambda body: post(address, body), bodies))
    assert [reply["rewards"] for reply in replies] == [[1.0], [0.0]] * 6


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'{"query": ["a"]}', b'{"query": 1, "prompts": 2, "labels": 3}', b"[" * 99_999]
)
def test_the_server_refuses_nonsense(body: bytes, address: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(address, body)
    assert caught.value.code == 400
    caught.value.close()


@pytest.mark.usefixtures("at_once")
def test_the_server_answers_a_lost_verdict_with_an_error(
    problem: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Doom(monkeypatch)
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(address, asked(problem, doomed(RIGHT)))
    assert caught.value.code == 503
    assert "rewards" not in json.load(caught.value)
    caught.value.close()


def test_tensors(problem: str, reward: CodeReward) -> None:
    package_of("torch")
    found = openrlhf.reward_func(*asked(problem, RIGHT, HALF).values(), reward=reward)
    assert found["rewards"].tolist() == found["extra_logs"]["accepted"].tolist() == [1.0, 0.0]


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """openrlhf/utils/agent.py. Its own tests load it like this, too: the package wants GPUs when it is imported."""
    found = importlib.util.find_spec("openrlhf")
    if found is None or found.submodule_search_locations is None:
        pytest.skip("not installed: openrlhf")
    package_of("aiohttp")
    logging = SimpleNamespace(init_logger=lambda name: SimpleNamespace(info=print, warning=print))
    monkeypatch.setitem(sys.modules, "openrlhf.utils.logging_utils", logging)
    path = Path(next(iter(found.submodule_search_locations)), "utils", "agent.py")
    spec = importlib.util.spec_from_file_location("agent_of_openrlhf", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rollout(agent: ModuleType, where: str, label: str, code: str) -> Any:
    """One of its single turns, by an engine that says `code`; tokens are characters."""

    class Tokenizer:
        def __call__(self, text: str, **_: object) -> Any:
            torch = package_of("torch")
            return {"input_ids": torch.tensor([[*map(ord, text)]])}

        def decode(self, ids: list[int], **_: object) -> str:
            return "".join(map(chr, ids))

    class Engine:
        async def generate(self, ids: object, params: object, **_: object) -> Any:
            said = SimpleNamespace(
                token_ids=[*map(ord, completion(code) + "<|im_end|>")], finish_reason="stop", logprobs=None
            )
            return SimpleNamespace(outputs=[said])

    params = SimpleNamespace(max_tokens=5000, logprobs=None)
    executor = agent.SingleTurnAgentExecutor(where)
    return asyncio.run(executor.execute(PROMPT, label, params, 10_000, Tokenizer(), Engine()))


@pytest.mark.usefixtures("at_once")
def test_its_executor_loads_the_file_and_calls_the_server(
    agent: ModuleType, problem: str, address: str, shared_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "reward.py"
    file.write_text(
        "from functools import partial\nfrom pathlib import Path\n"
        "from trainer_adapter.integrations import openrlhf\n"
        "from trainer_adapter.reward_funcs import CodeReward, Settings\n"
        f"settings = Settings(language='c17', slots=1, cache_directory=Path({str(shared_cache)!r}))\n"
        "reward_func = partial(openrlhf.reward_func, reward=CodeReward(settings=settings))\n"
    )
    for code, paid in ((RIGHT, 1.0), (HALF, 0.0)):
        found = rollout(agent, str(file), problem, code)
        assert (float(found["reward"]), float(found["scores"])) == (paid, paid)
        assert rollout(agent, address, problem, code)["reward"] == [paid]
    Doom(monkeypatch)
    assert rollout(agent, address, "nowhere", RIGHT)["reward"] is None
    assert rollout(agent, str(file), "nowhere", RIGHT)["reward"] is None
