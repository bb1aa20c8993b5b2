"""Removes what would reveal hidden tests from a Judgement."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from judge.common.models import Judgement, TestResult, Verdict

#: Verdicts whose `detail` tells of limits only, nothing of the data.
_TELLS_NOTHING = {Verdict.TLE, Verdict.MLE, Verdict.OLE, Verdict.SK}


def public(judgement: Judgement, samples: Collection[str]) -> Judgement:
    """`judgement` without anything that would reveal hidden tests: those whose names are not in `samples`."""
    tests = tuple(test if test.name in samples else hidden(test) for test in judgement.tests)
    dropped = tuple(replace(test, reason="") for test in judgement.dropped)
    error = "internal error" if judgement.error else None
    return replace(judgement, tests=tests, dropped=dropped, error=error)


def hidden(test: TestResult) -> TestResult:
    """The result of a hidden test without what would reveal it. What the program printed goes too: it can print its
    input."""
    detail = test.detail if test.verdict in _TELLS_NOTHING else ""
    return replace(test, detail=detail, stdout="", stderr="", conversation=None, exit_code=None, cjk=None)
