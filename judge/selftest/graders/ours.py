"""What our judge makes of the programs."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

import problems
from judge.common.ending import result_of
from judge.common.models import Judgement, Options, Submission, Verdict
from judge.many.pool import Judge
from judge.selftest.graders.suite import KINDS, Case, Outcome, Suite, make_killed
from problems.model import Problem

_HEAD = "problem_format_version: 2025-09\nname: sum and order\nuuid: 0d1b8a52-7c0e-4a53-9d7d-3a2b61f0c9e4\n"
_LIMITS = "limits: {time_limit: 3, memory: 512}\n"
#: The launcher is killed after `_KILL_AFTER_S` seconds: the program sleeps then.
_KILL_AFTER_S = 1.0


def judge_suite(judge: Judge, suite: Suite) -> dict[str, Outcome]:
    """By name. Of programs whose launcher is killed only where this backend has launchers of its own."""
    with tempfile.TemporaryDirectory(prefix="judge-graders-") as name:
        places = {kind: _write(Path(name, kind), kind, suite.tests) for kind in KINDS}
        found = _judge(judge, suite.cases, places)
        for one in make_killed("stdin"):
            future = judge.submit(_submission(one, places), Options())
            time.sleep(_KILL_AFTER_S)
            killed = _kill_launchers()
            outcome = _outcome(result_of(future))
            if killed:
                found[one.name] = outcome
    return found


def _submission(case: Case, places: Mapping[str, Problem], number: int = 0) -> Submission:
    return Submission(source=case.source.encode(), problem=places[case.kind], language=case.language, id=str(number))


def _judge(judge: Judge, cases: Sequence[Case], places: Mapping[str, Problem]) -> dict[str, Outcome]:
    rows = [_submission(one, places, number) for number, one in enumerate(cases)]
    return {cases[int(said.id or 0)].name: _outcome(said) for said in judge.judge_many(rows, Options())}


def _outcome(judgement: Judgement) -> Outcome:
    if judgement.verdict is Verdict.IE:
        return Outcome.LOST
    return Outcome.PAID if judgement.accepted else Outcome.REJECTED


def _write(root: Path, kind: str, tests: Any) -> Problem:
    """The package of the problem: of programs, or of functions."""
    data = root / "data" / "secret"
    data.mkdir(parents=True)
    (root / "statement").mkdir()
    (root / "statement" / "problem.en.md").write_text("A problem.\n")
    (root / "problem.yaml").write_text(_HEAD + _LIMITS)
    (root / "judge.yaml").write_text(
        "function: {name: solve}\n" if kind == "function" else "comparison: {mode: lines}\n"
    )
    if kind == "function":
        pairs = [
            (json.dumps(given) + "\n", json.dumps(result) + "\n")
            for given, result in zip(tests["calls"], tests["results"], strict=True)
        ]
    else:
        pairs = list(zip(tests["inputs"], tests["outputs"], strict=True))
    for number, (given, answer) in enumerate(pairs, 1):
        (data / f"{number}.in").write_text(given)
        (data / f"{number}.ans").write_text(answer)
    return problems.load(root)


def _kill_launchers() -> int:
    """Kills what runs the programs of this process; how many there were."""
    found = [one for one in psutil.Process().children() if one.name().startswith("judge-launcher")]
    for each in found:
        each.kill()
    return len(found)
