"""What our judge makes of the programs."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

import problems
from judge.common.models import Judgement, Options, Submission, Verdict
from judge.many.pool import Judge
from judge.selftest.graders.suite import Case, Outcome, Suite, make_killed
from problems.model import Problem

_HEAD = "problem_format_version: 2025-09\nname: sum and order\nuuid: 0d1b8a52-7c0e-4a53-9d7d-3a2b61f0c9e4\n"
_LIMITS = "limits: {time_limit: 3, memory: 512}\n"


def run(judge: Judge, suite: Suite) -> dict[str, Outcome]:
    """By name."""
    with tempfile.TemporaryDirectory(prefix="judge-graders-") as name:
        places = {kind: _write(Path(name, kind), kind, suite.tests) for kind in ("stdin", "function")}
        found = {one.name: outcome for one, outcome in _judge(judge, suite.cases, places)}
        stop = threading.Event()
        threading.Thread(target=_kill_launchers, args=(stop,), daemon=True).start()
        try:
            found |= {one.name: outcome for one, outcome in _judge(judge, make_killed("stdin", "python3"), places)}
        finally:
            stop.set()
    return found


def _judge(judge: Judge, cases: Sequence[Case], places: dict[str, Problem]) -> list[tuple[Case, Outcome]]:
    rows = [
        Submission(source=one.source.encode(), problem=places[one.kind], language=one.language, id=str(number))
        for number, one in enumerate(cases)
    ]
    said = {judgement.id: judgement for judgement in judge.judge_many(rows, Options())}
    return [(one, _outcome(said[str(number)])) for number, one in enumerate(cases)]


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


def _kill_launchers(stop: threading.Event) -> None:
    """Five times, while programs run: the process that runs one is killed."""
    for _ in range(5):
        if stop.wait(1.2):
            return
        for process in psutil.Process(os.getpid()).children():
            if process.name().startswith("judge-launcher"):
                process.send_signal(signal.SIGKILL)
                break
        time.sleep(0.1)
