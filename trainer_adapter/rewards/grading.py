"""Reduces a judgement to what reward functions use (`Graded`), and nothing that would reveal hidden tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import assert_never

from judge.common.models import Judgement, TestResult, Verdict
from judge.languages.extraction import Reason

#: Label of a completion without a program.
NO_CODE = "NO_CODE"

_SHOWN_CHARACTERS = 200
#: Where less is better, a raw score near 0, or below, is `_MOST_RATIO` times as good as the best.
_MOST_RATIO = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """One completion: judged, or without a program (`reason`), or not judged because of a failure (`failure`)."""

    verdict: Verdict | None = None
    reason: Reason | None = None
    #: What failed of the judge, the machine or the data. Such a completion is neither rewarded nor punished.
    failure: str | None = None
    accepted: bool = False
    #: The problem's score, in [0, 1], by its subtasks if it has any.
    score: float = 0.0
    #: Of a problem whose raw scores have no ceiling; None: of no such problem, or refused.
    raw_score: float | None = None
    #: As `Judgement.efficiency`.
    efficiency: float | None = None
    #: What `compare_with_best` and `compare_with_baseline` say.
    ratio: float = 0.0
    improvement: float = 0.0
    #: Share of the tests that passed, in [0, 1]; samples do not count.
    passed: float = 0.0
    #: True: all outputs, or all that passed, are the same: a guess.
    constant: bool = False
    #: Name of the first test that failed.
    failing: str = ""
    #: Why it failed, or the compiler's first error; nothing of what a test holds.
    detail: str = ""
    freopen: bool = False
    suspicious: bool = False
    #: What this was reduced from, where it was asked for: it holds what programs printed on hidden tests.
    judgement: Judgement | None = None

    @property
    def compiled(self) -> bool:
        return self.verdict not in (None, Verdict.CE)

    @property
    def label(self) -> str:
        """AC, WA, …; NO_CODE or IE."""
        if self.failure is not None:
            return Verdict.IE.value
        return NO_CODE if self.verdict is None else self.verdict.value


def grade(judgement: Judgement) -> Graded:
    if judgement.verdict is Verdict.IE or judgement.score is None:
        return Graded(failure=_failure(judgement))
    counted = [test for test in judgement.tests if test.group != "sample"] or list(judgement.tests)
    failing = next((test for test in counted if test.verdict not in (Verdict.AC, Verdict.SK)), None)
    return Graded(
        verdict=judgement.verdict,
        accepted=judgement.accepted,
        score=judgement.score,
        raw_score=judgement.raw_score,
        efficiency=judgement.efficiency,
        ratio=compare_with_best(judgement),
        improvement=compare_with_baseline(judgement),
        passed=fsum(test.score or 0.0 for test in counted) / len(counted) if counted else 0.0,
        constant=not judgement.accepted and _constant(counted),
        failing=failing.name if failing else "",
        detail=_detail(judgement, failing),
        freopen=judgement.freopen_neutralised > 0,
        suspicious=any(test.suspicious for test in judgement.tests),
    )


def compare_with_best(judgement: Judgement) -> float:
    """How good the raw score is beside the best that the package states: 1 is as good, more is better. At least 0; 0
    without a raw score, and the problem's score where there is no such best."""
    objective = judgement.objective
    if objective is None or objective.best is None or objective.best <= 0:
        return judgement.score or 0.0
    if (raw := judgement.raw_score) is None:
        return 0.0
    if objective.direction == "max":
        return max(0.0, raw / objective.best)
    return objective.best / max(raw, objective.best / _MOST_RATIO)


def compare_with_baseline(judgement: Judgement) -> float:
    """How much of the way from the baseline to the best the raw score has gone: 0 where it is no better than the
    baseline, more than 1 where it is better than the best. Without a baseline as `compare_with_best`."""
    objective = judgement.objective
    if objective is None or objective.best is None or objective.baseline is None:
        return compare_with_best(judgement)
    if (raw := judgement.raw_score) is None:
        return 0.0
    return max(0.0, (raw - objective.baseline) / (objective.best - objective.baseline))


def _failure(judgement: Judgement) -> str:
    broken = next((test.name for test in judgement.tests if test.verdict is Verdict.IE), None)
    # Not the checker's message: that may quote the answer.
    return f"test {broken}: internal error" if broken else judgement.error or "internal error"


def _constant(tests: Sequence[TestResult]) -> bool:
    """Whether all its outputs, or all those that passed, are the same: a guess, not a solution."""
    outputs = {test.name: " ".join(test.stdout.split()) for test in tests}
    passed = [outputs[test.name] for test in tests if test.verdict is Verdict.AC]
    return len(tests) > 1 and (len({*outputs.values()}) == 1 or (len(passed) > 1 and len({*passed}) == 1))


def _detail(judgement: Judgement, failing: TestResult | None) -> str:
    if judgement.verdict is Verdict.CE and judgement.compile is not None:
        lines = judgement.compile.output.splitlines()
        worst = next((line for line in lines if "error" in line), next(iter(lines), ""))
        from judge.common.text import harmless  # noqa: PLC0415 - only where a compiler complains

        return harmless(worst)[:_SHOWN_CHARACTERS]  # because it quotes the program
    if failing is None:
        return ""
    match failing.verdict:
        case Verdict.TLE | Verdict.MLE | Verdict.OLE:
            return failing.detail
        case Verdict.RE:
            return failing.signal or ""
        case Verdict.AC | Verdict.PC | Verdict.PE | Verdict.WA | Verdict.CE | Verdict.IE | Verdict.SK:
            return ""  # their details quote a hidden test, or there is nothing to say
        case _:
            assert_never(failing.verdict)
