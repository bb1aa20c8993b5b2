"""open-instruct's requests, as its `CodeVerifier` and the tests of its own server send them."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import requests
from fastapi.testclient import TestClient

from judge.server.app import application
from judge.server.compat import inline, open_instruct
from judge.server.guarding.keys import Keys
from judge.server.guarding.limits import Full
from judge.server.settings import Settings
from judge.server.storing.store import Store
from tests.judge.server.conftest import Serve
from tests.trainer_adapter.integrations.conftest import package_of
from trainer_adapter.integrations import core
from trainer_adapter.integrations.open_instruct import Lost, raise_lost

ADD = "def add(a, b):\n    return a + b\n"
SUM = "a, b = map(int, input().split())\nprint(a + b)"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, backend: str) -> Iterator[TestClient]:
    settings = Settings(backend=backend, slots=2, compat=("open-instruct",))
    store = Store(tmp_path_factory.mktemp("open-instruct") / "server.sqlite")
    with TestClient(application(settings, Keys(None), store), base_url="http://localhost") as one:
        yield one


def find_results(client: TestClient, program: str, tests: Any, **more: object) -> list[int]:
    answer = client.post("/test_program", json={"program": program, "tests": tests, **more})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert [seconds >= 0 for seconds in found["runtimes"]] == [bool(one) for one in found["results"]]
    return list(found["results"])


def test_open_instruct_s_assertions(client: TestClient) -> None:
    assert client.get("/health").json() == {"status": "healthy"}
    tests = ["assert add(1, 2) == 3", "assert add(-1, 1) == 0", "assert add(0, 0) == 1"]
    assert find_results(client, ADD, tests) == [1, 1, 0]
    assert find_results(client, ADD, json.dumps(tests)) == [1, 1, 0]
    assert find_results(client, "def add(", tests) == [0, 0, 0]
    assert find_results(client, ADD, []) == find_results(client, ADD, None) == []


def test_each_assertion_of_open_instruct_s_is_by_itself(client: TestClient) -> None:
    """Two assertions in one text are one test; others call another function, or allow a tolerance."""
    program = f"{ADD}def half(x):\n    return x / 2 + 1e-9\n"
    tests = [
        "assert add(1, 2) == 3\nassert add(1, 1) == 3",
        "assert abs(half(3) - 1.5) < 1e-6",
        "assert half(3) == 1.5",
        "assert add([1], [2]) == [1, 2]\nassert add('a', 'b') == 'ab'",
    ]
    assert find_results(client, program, tests) == [0, 1, 0, 1]


def test_open_instruct_s_limit_is_wall_time(client: TestClient) -> None:
    program = "import time\ndef add(a, b):\n    time.sleep(a)\n    return a + b\n"
    assert find_results(
        client, program, ["assert add(0, 2) == 2", "assert add(3, 1) == 4"], max_execution_time=1.5
    ) == [1, 0]


def test_a_program_of_open_instruct_s_cannot_make_assertions_hold(client: TestClient) -> None:
    forged = "class Equal:\n    __eq__ = lambda *_: True\ndef add(a, b):\n    return Equal()\n"
    assert find_results(client, forged, ["assert add(1, 2) == 3"]) == [0]
    assert find_results(client, "import os\nos._exit(0)", ["assert add(1, 2) == 3"]) == [0]


def test_open_instruct_s_input_and_output(client: TestClient) -> None:
    tests = [{"input": "5 3", "output": "8"}, {"input": "10 -2", "output": "7"}, {"input": "0 0", "output": "0\n"}]
    for given in (tests, json.dumps(tests)):
        answer = client.post("/test_program_stdio", json={"program": SUM, "tests": given, "max_execution_time": 1.0})
        assert answer.json()["results"] == [1, 0, 1]


@pytest.mark.parametrize(
    ("path", "tests", "said"),
    [
        ("/test_program", ["assert add(1, 2) == 3", "assert True"], "test 1 is of no form"),
        ("/test_program", [3], "test 0 is of no form"),
        ("/test_program", "eJyrV", "no JSON"),
        ("/test_program", {"a": 1}, "are a list"),
        ("/test_program_stdio", [["1", "2"]], "each test is"),
        ("/test_program_stdio", [{"input": 1, "output": "2"}], "each test is"),
    ],
)
def test_tests_that_open_instruct_s_door_does_not_take(client: TestClient, path: str, tests: Any, said: str) -> None:
    answer = client.post(path, json={"program": ADD, "tests": tests})
    assert (answer.status_code, said in answer.json()["error"]) == (422, True), answer.text


def test_a_failure_of_ours_is_tried_again_and_no_zero(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is a full queue: open-instruct's client would make 0 of the refusal."""
    whole, failures = inline.judge_inline, [Full(1), inline.Failed("lost"), inline.Failed("lost")]

    async def failing(*given: Any, **named: Any) -> Any:
        if failures:
            raise failures.pop()
        return await whole(*given, **named)

    monkeypatch.setattr(inline, "judge_inline", failing)
    monkeypatch.setattr(open_instruct, "_RETRY_S", 0)
    assert find_results(client, ADD, ["assert add(1, 2) == 3"]) == [1]
    failures += [inline.Failed("lost")] * 3
    answer = client.post("/test_program", json={"program": ADD, "tests": ["assert add(1, 2) == 3"]})
    assert (answer.status_code, answer.json()["error"]) == (503, "lost")


class Asking:
    """As much of its `CodeVerifier` as asks its server: whatever fails is a 0."""

    _session_pool: Any = None

    def __init__(self, config: Any) -> None:
        self.config = config

    async def async_call(self, _: object, prediction: str, label: Any) -> Any:
        body = {"program": prediction, "tests": label, "max_execution_time": self.config.code_max_execution_time}
        try:

            def request() -> Any:
                session = self._session_pool or requests.Session()
                answer = session.post(self.config.code_api_url, json=body, headers={}, timeout=30)
                answer.raise_for_status()
                return answer.json()["results"]

            passes = await asyncio.to_thread(request)
            return SimpleNamespace(score=sum(passes) / len(passes))
        except Exception:
            return SimpleNamespace(score=0.0)


@pytest.mark.parametrize("own", [False, True])
def test_open_instruct_s_own_verifier(serve: Serve, monkeypatch: pytest.MonkeyPatch, own: bool) -> None:
    """Right is 1, wrong 0, and with `raise_lost` a judge that was killed is raised."""
    name = "open_instruct.ground_truth_utils"
    config: Any = SimpleNamespace
    if own:
        utils = package_of(name)
        verifier, config = utils.CodeVerifier, utils.CodeVerifierConfig
    else:
        verifier = Asking
        monkeypatch.setitem(sys.modules, "open_instruct", SimpleNamespace())
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(CodeVerifier=Asking))
    monkeypatch.setattr(verifier, "_session_pool", None)
    monkeypatch.setattr(core, "PAUSE_S", 0)
    server = serve("--compat", "open-instruct", "--slots", "1")
    asking = verifier(
        config(
            code_api_url=str(server.client.base_url).rstrip("/") + "/test_program",
            code_max_execution_time=5.0,
            code_pass_rate_reward_threshold=0.0,
            code_apply_perf_penalty=False,
        )
    )

    def paid(program: str) -> float:
        tests = ["assert add(1, 2) == 3", "assert add(2, 2) == 4"]
        return float(asyncio.run(asking.async_call([], program, tests)).score)

    assert [paid(ADD), paid(ADD.replace("+", "-")), paid(ADD.replace("a + b", "3"))] == [1.0, 0.0, 0.5]
    raise_lost()
    assert [paid(ADD), paid(ADD.replace("+", "-"))] == [1.0, 0.0]
    server.kill()
    with pytest.raises(Lost, match="not judged"):
        paid(ADD)
