"""A completion of any trainer, judged: every form of a task, many callers, hostile completions, lost verdicts."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import re
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from judge import Judge, Verdict
from tests.trainer_adapter.failing import Doom, doomed
from tests.trainer_adapter.programs import CASES, CONSTANT, HALF, PROGRAMS, RIGHT, completion, message
from trainer_adapter.data.tests_column import Case, Inline
from trainer_adapter.integrations.core import NoVerdict, Score, score, score_async, scores
from trainer_adapter.reward_funcs import CodeReward, Kind, Settings
from trainer_adapter.rewards import shared_judge as shared

INPUTS, OUTPUTS = zip(*CASES.values(), strict=True)
LISTS = {"inputs": INPUTS, "outputs": OUTPUTS}
ROWS = [{"input": one, "output": other} for one, other in CASES.values()]
PACKED = Inline(tests=tuple(Case(**row) for row in ROWS)).pack()
TASKS: dict[str, Any] = {
    "lists": LISTS,
    "lists as JSON": json.dumps(LISTS),
    "rows": ROWS,
    "rows as JSON": json.dumps(ROWS),
    "packed": PACKED,
    "column": {"tests": PACKED, "language": "c17", "split": "train"},
    "column of rows": {"tests": ROWS, "cpu_ns": 200_000_000, "language": "c17"},
    "verl": {"ground_truth": json.dumps(LISTS), "language": "c17"},
}


@pytest.mark.parametrize("form", TASKS)
def test_every_form_of_a_task(form: str, reward: CodeReward) -> None:
    weighted = replace(reward, kind=Kind.PASS_RATE)
    right, half = scores([completion(RIGHT), message(HALF)], [TASKS[form]] * 2, weighted)
    assert right == Score(reward=1.0, accepted=True, verdict="AC")
    assert isinstance(half, Score)
    assert (half.reward, half.verdict, half.failing_test) == (0.4, "WA", "secret/0001")


@pytest.mark.parametrize("task", [{"problem_id": "P1001"}, "P1001", {"ground_truth": "P1001", "language": "c17"}])
def test_a_problem_by_its_name(task: object, reward: CodeReward) -> None:
    assert score(completion(RIGHT), task, reward).accepted


def test_a_task_that_calls_a_function(reward: CodeReward) -> None:
    task = {"inputs": [[1, 2], [2, 2]], "outputs": [3, 4], "fn_name": "add", "language": "python3"}
    weighted = replace(reward, kind=Kind.PASS_RATE)
    programs = ("def add(a, b):\n    return a + b", "def add(a, b):\n    return 3")
    right, half = scores([f"```python\n{one}\n```" for one in programs], [json.dumps(task)] * 2, weighted)
    assert right == Score(reward=1.0, accepted=True, verdict="AC")
    assert isinstance(half, Score)
    assert (half.reward, half.verdict) == (0.5, "WA")


@pytest.mark.parametrize(
    ("task", "why"),
    [
        ("", "names no problem"),
        (None, "names no problem"),
        ({}, "holds no tests"),
        ([], "holds no tests"),
        ({"inputs": ["1"], "outputs": []}, "not as many inputs as outputs"),
        ({"assert_case": ["assert f(1) == g(2)"]}, "are assertions"),
        (
            {"assert_case": ["assert f(1) == 1"], "language": "c17"},
            "calls the function f, which a program in c17 cannot offer",
        ),
        ("{nothing", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("judge1:broken", "no list like"),
        (7, "no known form"),
        ({"tests": [{"input": "1"}]}, "tests"),
        ({"problem_id": "P1001", "language": "klingon"}, "klingon"),
        ({"problem_id": "P1001", "language": 3}, "language"),
        ("nowhere", "unknown problem"),
    ],
)
def test_a_row_that_cannot_be_judged_harms_no_other(task: object, why: str, reward: CodeReward) -> None:
    lost, found = scores([completion(RIGHT)] * 2, [task, "P1001"], reward)
    assert isinstance(lost, NoVerdict)
    assert why in str(lost)
    assert isinstance(found, Score)
    with pytest.raises(NoVerdict):
        score(completion(RIGHT), task, reward)
    with pytest.raises(NoVerdict):
        asyncio.run(score_async(completion(RIGHT), task, reward))


CHECKER = {"source": "int main() { return 0; }"}


@pytest.mark.parametrize(
    ("task", "why"),
    [
        ({"tests": ROWS, "checkr": CHECKER}, "'checkr', which is not read"),
        ({"tests": ROWS, "langauge": "c17"}, "'langauge', which is not read; is it 'language'"),
        ({"tests": PACKED, "Language": "c17"}, "'Language', which is not read; is it 'language'"),
        ({"tests": ROWS, "comparisons": "lines"}, "'comparisons', which is not read; is it 'comparison'"),
        ({"tests": ROWS, "checkr": CHECKER}, "is it 'checker'?"),
        ({"tests": ROWS, "special_judge": True}, "'special_judge'"),
        ({"tests": ROWS, "inputs": ["1"], "outputs": ["2"]}, "'inputs'"),
        ({"tests": PACKED, "checker": CHECKER}, "'checker'"),
        ({"tests": PACKED, "comparision": "float"}, "'comparision'"),
        ({"problem_id": "P1001", "interactor": "x"}, "'interactor'"),
        ({"problem_id": "P1001", "hidden_tests": ROWS}, "'hidden_tests'"),
        ({"ground_truth": LISTS, "checker": "x"}, "'checker'"),
        ({"ground_truth": LISTS, "fn_name": "f"}, "'fn_name'"),
        ({"ground_truth": LISTS, "extra_info": {"output_checker": "x"}}, "'output_checker'"),
        ({"ground_truth": LISTS, "extra_info": {"tests": ROWS}}, "'tests'"),
        (
            {"ground_truth": LISTS, "extra_info": {"fn_name": "f"}},
            "'fn_name', which is not read and names what to call",
        ),
        ({"tests": ROWS, "extra_info": {"entry_point": "f"}}, "'entry_point', which is not read and names what"),
        ({"ground_truth": LISTS, "tests": ROWS}, "twice, by 'tests' and by 'ground_truth'"),
        ({"ground_truth": "P1001", "problem_id": "P1003"}, "twice, by 'problem_id' and by 'ground_truth'"),
        ({"ground_truth": {**LISTS, "checker": "x"}}, "'checker'"),
    ],
)
def test_nothing_that_may_decide_is_passed_over(task: object, why: str, reward: CodeReward) -> None:
    for form in (task, json.dumps(task)):
        with pytest.raises(NoVerdict, match=re.escape(why)):
            score(completion(RIGHT), form, reward)


@pytest.mark.parametrize(
    "more",
    [
        {"data_source": "taco", "prompt": [{"role": "user", "content": "?"}], "ability": "code", "split": "test"},
        {
            "checker": None,
            "special_judge": False,
            "hidden_tests": [],
            "is_verified": True,
            "valid": True,
            "checked": True,
        },
        {"extra_info": {"index": 3, "tests": [], "checker": None}, "messages": [], "answer": "3"},
    ],
)
def test_what_a_trainer_keeps_beside_is_no_reason(more: dict[str, Any], reward: CodeReward) -> None:
    for task in ({"tests": ROWS}, {"tests": PACKED}, {"problem_id": "P1001"}, {"ground_truth": json.dumps(LISTS)}):
        assert score(completion(RIGHT), {**task, **more}, reward).accepted


def test_tests_go_before_the_problem_that_they_are_of(reward: CodeReward) -> None:
    """As in reward functions, whose rows have both."""
    for tests in (ROWS, PACKED):
        assert score(completion(RIGHT), {"problem_id": "nowhere", "tests": tests}, reward).accepted


HOSTILE: dict[str, Any] = {
    "empty": "",
    "no message": [],
    "nothing said": [{"role": "assistant", "content": None}],
    "a lone surrogate": completion("\ud800" + RIGHT),
    "a zero byte": completion("\0" + RIGHT),
    "fences": "```" * 100_000,
    "a megabyte": completion("//" + "x" * (1 << 20) + "\n" + PROGRAMS[Verdict.CE]),
    "escape codes": completion("#error \x1b[2J\x1b]0;owned\x07\n"),
    "an include of the host": completion('#include "/etc/passwd"\n'),
    **{str(verdict): completion(program) for verdict, program in PROGRAMS.items() if verdict is not Verdict.AC},
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_completions_are_worth_nothing_and_break_nothing(kind: str, problem: str, reward: CodeReward) -> None:
    found = score(HOSTILE[kind], problem, reward)
    assert (found.reward, found.accepted) == (0.0, False)
    assert "\x1b" not in found.detail
    assert "root:" not in found.detail


def test_threads_and_coroutines_share_one_judge(
    problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []
    begin = Judge.__init__

    def counted(self: Judge, **how: Any) -> None:
        opened.append(self)
        begin(self, **how)

    monkeypatch.setattr(Judge, "__init__", counted)
    programs = [completion(f"// {number}\n{(RIGHT, CONSTANT)[number % 2]}") for number in range(40)]
    with ThreadPoolExecutor(40) as pool:
        threads = list(pool.map(lambda each: score(each, problem, reward).accepted, programs))

    async def all_at_once() -> list[Score]:
        return await asyncio.gather(*(score_async(each, problem, reward) for each in programs))

    assert threads == [number % 2 == 0 for number in range(40)]
    assert [each.accepted for each in asyncio.run(all_at_once())] == threads
    assert len(opened) == 1


def in_a_process(problem: str, settings: Settings) -> tuple[int, list[bool], int]:
    """As a worker of Ray or a process pool: it imports, judges, and stays."""
    own = CodeReward(settings=settings)
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(lambda code: score(completion(code), problem, own).accepted, [RIGHT, CONSTANT, RIGHT, HALF])
        )
    return os.getpid(), found, len(shared._shared)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_each_process_has_one_judge_of_its_own(method: str, problem: str, reward: CodeReward) -> None:
    assert score(completion(RIGHT), problem, reward).accepted  # the parent's judge does not survive the fork
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        found = list(pool.map(in_a_process, [problem] * 4, [reward.settings] * 4))
    assert all(judged == [True, False, True, False] for _, judged, _ in found)
    assert os.getpid() not in {process for process, *_ in found}
    assert {judges for *_, judges in found} == {1}


@pytest.mark.usefixtures("at_once")
def test_a_lost_verdict_is_tried_again(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    doom = Doom(monkeypatch)
    unlucky = completion(doomed(RIGHT))
    lost, found = scores([unlucky, completion(RIGHT)], [problem] * 2, reward)
    assert isinstance(lost, NoVerdict)
    assert isinstance(found, Score)
    with pytest.raises(NoVerdict):
        score(unlucky, problem, reward, tries=2)
    doom.lifted = True
    assert score(unlucky, problem, reward, tries=2).accepted


def test_a_judge_that_hangs_is_given_up(problem: str, reward: CodeReward, monkeypatch: pytest.MonkeyPatch) -> None:
    doom = Doom(monkeypatch, signal.SIGSTOP)
    hasty = replace(reward, settings=replace(reward.settings, deadline_s=2.0))
    try:
        with pytest.raises(NoVerdict, match="no judgement ended for 2 s"):
            asyncio.run(score_async(completion(doomed(RIGHT)), problem, hasty))
    finally:
        doom.lifted = True
        doom.number = signal.SIGKILL
        doom.strike()
