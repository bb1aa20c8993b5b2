"""verifiers calls the functions: by its signatures always, by a Task of 0.4 or a Rubric of 0.1, whichever is there."""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import math
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from tests.trainer_adapter.failing import Doom, doomed
from tests.trainer_adapter.integrations.conftest import package_of
from tests.trainer_adapter.programs import HALF, RIGHT, completion, message
from trainer_adapter.integrations.core import NoVerdict
from trainer_adapter.integrations.verifiers import in_rubric, judge_reward, rubric_reward
from trainer_adapter.reward_funcs import CodeReward


def test_a_completion_is_worth_what_its_program_is(problem: str, reward: CodeReward) -> None:
    assert [asyncio.run(judge_reward(completion(code), problem, reward)) for code in (RIGHT, HALF)] == [1.0, 0.0]


def test_a_lost_verdict_is_raised(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    Doom(monkeypatch)
    with pytest.raises(NoVerdict):
        asyncio.run(judge_reward(completion(doomed(RIGHT)), problem, reward))


@pytest.mark.parametrize("form", ["answer", "info", "answer with language"])
def test_in_a_rubric_the_answer_or_the_info_is_the_task(form: str, problem: str, reward: CodeReward) -> None:
    answer, info = {
        "answer": (problem, {}),
        "info": ("", {"problem_id": problem, "language": "c17"}),
        "answer with language": (problem, {"language": "c17"}),
    }[form]
    state: dict[str, Any] = {}
    paid = [asyncio.run(in_rubric(message(code), answer, info, state, reward)) for code in (RIGHT, HALF)]
    assert (paid, state) == ([1.0, 0.0], {})


def test_in_a_rubric_a_lost_verdict_is_an_error_of_the_rollout_and_no_number(
    problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Rubric makes an exception a 0."""
    if not importlib.util.find_spec("verifiers"):
        error = type("InfraError", (Exception,), {})
        monkeypatch.setitem(sys.modules, "verifiers", SimpleNamespace(InfraError=error))  # type: ignore[arg-type]
    elif not hasattr(package_of("verifiers"), "InfraError"):
        pytest.skip("this version has no Rubric")
    Doom(monkeypatch)
    state: dict[str, Any] = {}
    assert math.isnan(asyncio.run(in_rubric(message(doomed(RIGHT)), problem, {}, state, reward)))
    assert type(state["error"]).__name__ == "InfraError"


def test_signature() -> None:
    """A Rubric passes by name what a function names, and awaits it. It takes functions with plural names for groups'."""
    assert list(inspect.signature(rubric_reward).parameters) == ["completion", "answer", "info", "state"]
    assert inspect.iscoroutinefunction(rubric_reward)


def rubric(reward: CodeReward) -> Any:
    vf = package_of("verifiers")
    if not hasattr(vf, "Rubric"):
        pytest.skip("this version has no Rubric")

    async def judged(completion: Any, answer: Any, info: Any, state: Any) -> float:
        return await in_rubric(completion, answer, info, state, reward)

    return vf.Rubric(funcs=[judged])


def test_a_rubric_of_0_1_scores_rollouts(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    scoring = rubric(reward)
    states = [
        {"prompt": [], "completion": message(code), "answer": problem, "info": {}, "error": None}
        for code in (RIGHT, HALF)
    ]

    async def score_all() -> None:
        await asyncio.gather(*(scoring.score_rollout(state) for state in states))

    asyncio.run(score_all())
    assert [state["reward"] for state in states] == [1.0, 0.0]
    assert not any(state["error"] for state in states)
    Doom(monkeypatch)
    lost: dict[str, Any] = {"prompt": [], "completion": message(doomed(RIGHT)), "answer": problem, "error": None}
    asyncio.run(scoring.score_rollout(lost))
    assert math.isnan(lost["reward"])
    assert isinstance(lost["error"], package_of("verifiers").InfraError)


def traced(task: Any, text: str) -> Any:
    """A Trace of verifiers 0.4 in which the model said this."""
    trace, agent = package_of("verifiers.v1.trace"), package_of("verifiers.v1.configs.agent")
    types, graph = package_of("verifiers.v1.types"), package_of("verifiers.v1.graph")
    found = trace.Trace(
        task=trace.TraceTask(type=type(task).__name__, data=task.data, key=task.key, hash=task.hash),
        state=package_of("verifiers.v1.state").State(),
        agent=trace.AgentInfo(config=agent.AgentConfig()),
    )
    found.nodes = [
        graph.MessageNode(message=types.UserMessage(content="?"), parent=None),
        graph.MessageNode(message=types.AssistantMessage(content=text), parent=0, sampled=True),
    ]
    return found


def test_a_task_of_0_4_scores_a_trace(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    vf, errors = package_of("verifiers.v1"), package_of("verifiers.v1.errors")

    class Data(vf.TaskData):  # type: ignore[name-defined, misc]
        problem_id: str

    class Programming(vf.Task):  # type: ignore[name-defined, misc]
        @vf.reward  # type: ignore[untyped-decorator]
        async def accepted(self, trace: Any) -> float:
            return await judge_reward(trace.last_reply, self.data.problem_id, reward)

    task = Programming(Data(prompt="?", problem_id=problem))
    for code, paid in ((RIGHT, 1.0), (HALF, 0.0)):
        trace = traced(task, completion(code))
        asyncio.run(task.score(trace))
        assert trace.reward == paid
    Doom(monkeypatch)
    trace = traced(task, completion(doomed(RIGHT)))
    with pytest.raises(errors.TaskError, match="NoVerdict"):
        asyncio.run(task.score(trace))
    trace.record_error(errors.TaskError("as a rollout records it"))
    assert trace.has_error, "prime-rl drops such a rollout"
