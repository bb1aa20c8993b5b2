"""verifiers calls the function: by hand always, by a Task of 0.4 where it is installed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.trainer_adapter.failing import Doom, doomed
from tests.trainer_adapter.integrations.conftest import package_of
from tests.trainer_adapter.programs import HALF, RIGHT, completion
from trainer_adapter.integrations.core import NoVerdict
from trainer_adapter.integrations.verifiers import judge_reward
from trainer_adapter.reward_funcs import CodeReward


def test_a_completion_is_worth_what_its_program_is(problem: str, reward: CodeReward) -> None:
    assert [asyncio.run(judge_reward(completion(code), problem, reward)) for code in (RIGHT, HALF)] == [1.0, 0.0]


def test_a_lost_verdict_is_raised(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    Doom(monkeypatch)
    with pytest.raises(NoVerdict):
        asyncio.run(judge_reward(completion(doomed(RIGHT)), problem, reward))


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

    Doom(monkeypatch)
    task = Programming(Data(prompt="?", problem_id=problem))
    for code, paid in ((RIGHT, 1.0), (HALF, 0.0)):
        trace = traced(task, completion(code))
        asyncio.run(task.score(trace))
        assert trace.reward == paid
    trace = traced(task, completion(doomed(RIGHT)))
    with pytest.raises(errors.TaskError, match="NoVerdict"):
        asyncio.run(task.score(trace))
    trace.record_error(errors.TaskError("as a rollout records it"))
    assert trace.has_error, "prime-rl drops such a rollout"
