"""Rewards at the edges of what trainers, data sets and machines do: odd columns, odd numbers, a judge that hangs."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge import ConfigError
from tests.conftest import MakePackage
from tests.trainer_adapter.failing import Doom, doomed
from tests.trainer_adapter.programs import CASES, HALF, METADATA, RIGHT, completion, message
from tests.trainer_adapter.test_reward_funcs import Log, call, length
from trainer_adapter import reward_funcs
from trainer_adapter.reward_funcs import AsyncCodeReward, AsyncUnlessFailed, CodeReward, Settings, UnlessFailed


@pytest.fixture
def settings(backend: str, shared_cache: Path) -> Iterator[Settings]:
    yield Settings(language="c17", slots=1, backend=backend, cache_directory=shared_cache)
    reward_funcs.close()


@pytest.fixture
def problem(package: MakePackage) -> str:
    return str(package(CASES, metadata=METADATA, name="sum"))


@pytest.mark.parametrize("processes", ["two", "0", "-1", "1.5", "²"])
def test_a_number_of_processes_that_is_none_is_refused(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, processes: str
) -> None:
    monkeypatch.setenv("LOCAL_WORLD_SIZE", processes)
    with pytest.raises(ConfigError, match="LOCAL_WORLD_SIZE"):
        call(CodeReward(settings=settings), [message(RIGHT)], problem_id=["P1001"])


@pytest.mark.parametrize("column", ["settings", "caller", "self", "kind", "judge", "inputs"])
def test_a_column_may_have_any_name(settings: Settings, problem: str, column: str) -> None:
    for reward in (CodeReward(settings=settings), UnlessFailed(length, settings)):
        assert reward(**{"completions": [completion(RIGHT)], "problem_id": [problem], column: ["x"]}) != [None]
    asynchronous = AsyncCodeReward(settings=settings)
    columns = {"completions": [completion(RIGHT)], "problem_id": [problem], column: ["x"]}
    assert asyncio.run(asynchronous(**columns)) == [1.0]


@pytest.mark.parametrize(
    ("column", "value"),
    [("checker", "x"), ("fn_name", "f"), ("test_cases", [{"input": "1", "output": "2"}]), ("langauge", "python3")],
)
def test_a_column_beside_the_tests_that_may_decide_is_refused(settings: Settings, column: str, value: Any) -> None:
    tests = ['[{"input": "1 2", "output": "3"}]']
    for reward in (CodeReward(settings=settings), UnlessFailed(length, settings)):
        with pytest.raises(ConfigError, match=f"the data set has .*'{column}'"):
            reward(**{"completions": [completion(RIGHT)] * 2, "tests": tests * 2, column: ["", value]})
    harmless = {column: [None], "split": ["train"], "difficulty": ["easy"], "trainer_state": object()}
    assert CodeReward(settings=settings)(completions=[completion(RIGHT)], tests=tests, **harmless) == [1.0]


@pytest.mark.parametrize("language", [7, float("nan"), ["c17"], {"name": "c17"}])
def test_a_language_that_is_no_text_scores_nothing(
    settings: Settings, problem: str, language: Any, caplog: pytest.LogCaptureFixture
) -> None:
    columns = {"problem_id": [problem] * 2, "language": [language, None]}
    assert call(CodeReward(settings=settings), [message(RIGHT)] * 2, Log(), **columns) == [None, 1.0]
    assert "the language of a row must be text" in caplog.text


def test_a_language_that_a_completion_chose_is_scored(settings: Settings, package: MakePackage) -> None:
    """A fence in a language in which the problem calls nothing: 0. In the data it is a mistake of the data: None."""
    problem = str(package({"secret/1": ("[1]\n", "1\n")}, files={"judge.yaml": "function: {name: solve}\n"}))
    reward, fenced = CodeReward(settings=settings), [message(RIGHT)] * 2
    assert call(reward, fenced, Log(), problem_id=[problem] * 2, language=[None, "c17"]) == [0.0, None]


async def later(completions: list[Any], **_: object) -> list[float]:
    """An async function of somebody else."""
    await asyncio.sleep(0)
    return length(completions)


def test_async_functions_of_others_are_wrapped_so_that_trainers_await_them(
    settings: Settings, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Doom(monkeypatch)
    reward = AsyncUnlessFailed(later, settings)
    assert reward.__name__ == "later"
    assert reward_funcs.is_async(reward)
    completions = [completion(doomed(RIGHT)), completion(HALF)]
    assert asyncio.run(call(reward, completions, problem_id=[problem] * 2)) == [None, float(len(completions[1]))]
    with pytest.raises(ConfigError, match="AsyncUnlessFailed"):
        UnlessFailed(later, settings)
    with pytest.raises(ConfigError, match="AsyncUnlessFailed"):
        UnlessFailed(functools.partial(later), settings)


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_what_is_not_finite_is_no_reward(settings: Settings, problem: str, value: float) -> None:
    def divided(completions: list[Any], **_: object) -> list[float]:
        return [1.0, value]

    assert call(UnlessFailed(divided, settings), ["a", "b"], problem_id=[problem] * 2) == [1.0, None]


@pytest.mark.parametrize("make", [CodeReward, AsyncCodeReward])
def test_a_launcher_that_is_stopped_scores_nothing_after_the_deadline(
    settings: Settings,
    problem: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    make: type[CodeReward],
) -> None:
    """The driver's own deadline is half a minute and twice the limit of the run, on each of two slots."""
    doom = Doom(monkeypatch, signal.SIGSTOP)
    hasty = dataclasses.replace(settings, deadline_s=2.0)
    program, log = doomed(RIGHT), Log()
    try:
        began_s = time.monotonic()
        paid = call(make(settings=hasty), [message(program), "none"], log, problem_id=[problem] * 2)
        paid = asyncio.run(paid) if make is AsyncCodeReward else paid
        took_s = time.monotonic() - began_s
    finally:
        doom.lifted = True
        doom.number = signal.SIGKILL
        doom.strike()
    assert paid == [None, 0.0]
    assert took_s < 25
    assert "no judgement ended for 2 s" in caplog.text
    assert log.metrics["judge/infra"] == 0.5
    assert call(CodeReward(settings=hasty), [message(program)], problem_id=[problem]) == [1.0], "the next step judges"
