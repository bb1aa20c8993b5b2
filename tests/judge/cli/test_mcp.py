"""`judge mcp` talks to the protocol's own client: over pipes as agents do, and in this process."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from judge import Judge
from judge.cli.mcp import make_server
from tests.conftest import MakePackage
from tests.trainer_adapter.failing import Doom, doomed
from tests.trainer_adapter.programs import CASES, HALF, METADATA, RIGHT

mcp = pytest.importorskip("mcp")

SECRET_ANSWER = "42"


def call_tool(client: Any, tool: str, **arguments: str) -> Any:
    async def ask() -> Any:
        async with mcp.Client(client) as connected:
            return await connected.call_tool(tool, arguments)

    return asyncio.run(ask())


def content_of(result: Any) -> Any:
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)


@pytest.fixture
def server(package: MakePackage, shared_cache: Path, backend: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """With the problem `sum` among the others."""
    place = package(CASES, metadata=METADATA, name="sum")
    monkeypatch.setenv("JUDGE_PROBLEMS", str(place.parent))
    with Judge(slots=1, backend=backend, cache_directory=shared_cache) as judge:
        yield make_server(judge)


def test_right_and_wrong(server: Any) -> None:
    how = {"problem": "sum", "language": "c17"}
    assert content_of(call_tool(server, "submit", source=RIGHT, **how))["verdict"] == "AC"
    assert content_of(call_tool(server, "submit", source=HALF, **how))["verdict"] == "WA"


def test_samples_alone(server: Any) -> None:
    constant = RIGHT.replace("a + b", "3")
    found = content_of(call_tool(server, "run_samples", source=constant, problem="sum", language="c17"))
    assert (found["verdict"], [test["name"] for test in found["tests"]]) == ("AC", ["sample/1"])


def test_hidden_tests_stay_hidden(server: Any) -> None:
    shown = content_of(call_tool(server, "show_problem", problem="sum"))
    assert [sample["name"] for sample in shown["samples"]] == ["sample/1"]
    judged = content_of(call_tool(server, "submit", source=HALF, problem="sum", language="c17"))
    assert SECRET_ANSWER not in json.dumps([shown["samples"], [test["detail"] for test in judged["tests"]]])


def test_a_lost_judgement_is_an_error(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    Doom(monkeypatch)
    found = call_tool(server, "submit", source=doomed(RIGHT), problem="sum", language="c17")
    assert found.is_error
    assert "not judged" in found.content[0].text


def test_what_is_asked_wrongly_is_told(server: Any) -> None:
    found = call_tool(server, "submit", source=RIGHT, problem="sum", language="klingon")
    assert found.is_error
    assert "klingon" in found.content[0].text


def test_no_path_is_a_problem(server: Any, package: MakePackage) -> None:
    """An agent could read files with one."""
    found = call_tool(server, "show_problem", problem=str(package(CASES, metadata=METADATA, name="other")))
    assert found.is_error
    assert "unknown problem" in found.content[0].text


def test_the_command(backend: str) -> None:
    if backend != "native":
        pytest.skip("the command takes the backend as an option")
    from mcp.client.stdio import StdioServerParameters, stdio_client

    async def run() -> tuple[list[str], Any]:
        words = ["-m", "judge", "mcp", "--samples-only", "-j", "1"]
        started = stdio_client(StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ)))
        async with mcp.Client(started) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            how = {"problem": "P1001", "source": "print(sum(map(int, input().split())))", "language": "python3"}
            return tools, await client.call_tool("run_samples", how)

    tools, found = asyncio.run(run())
    assert tools == ["list_problems", "show_problem", "run_samples"]
    assert content_of(found)["verdict"] == "AC"
