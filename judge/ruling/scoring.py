"""Turns test results into a score, a verdict and `accepted`. Pure functions.

score    without groups: sum(weight x score) / sum(weight) over the counted tests
         with groups: sum(points x aggregate) / sum(points) over the counted groups whose requirements are passed
verdict  that of the first counted test, in test order, that is not AC; but IE if any counted test is IE
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from judge.common.models import TestResult, Verdict
from problems.errors import ProblemError
from problems.model import Aggregation, Group, Problem, TestCase


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    verdict: Verdict
    accepted: bool
    #: In [0, 1]; None: a counted test is IE.
    score: float | None


def counted(problem: Problem, case: TestCase) -> bool:
    """Whether the case counts. Its group says so; without groups, all but the samples count."""
    return problem.group(case.group).counted if problem.groups else not case.sample


def total(problem: Problem, cases: Sequence[TestCase], results: Mapping[str, TestResult]) -> Total:
    """Score and verdict of a submission. `cases`: in test order, without dropped ones; `results`: by a case's name."""
    counting = [case for case in cases if counted(problem, case)]
    verdicts = [results[case.name].verdict for case in counting]
    if Verdict.IE in verdicts:
        return Total(verdict=Verdict.IE, accepted=False, score=None)
    failed = [verdict for verdict in verdicts if verdict not in (Verdict.AC, Verdict.SK)]
    accepted = all(verdict is Verdict.AC for verdict in verdicts)
    return Total(
        verdict=failed[0] if failed else Verdict.AC,
        accepted=accepted,
        score=1.0 if accepted else _score(problem, counting, cases, results),
    )


def matters(problem: Problem, cases: Sequence[TestCase], results: Mapping[str, TestResult], case: TestCase) -> bool:
    """Whether the verdict or the score can still depend on `case`, given the `results` of other cases. Cases without a
    result are taken as AC: by no rule does a case matter more if another one fails."""

    def sum_(verdict: Verdict, score: float) -> Total:
        unknown = {
            other.name: TestResult(name=other.name, group=other.group, verdict=Verdict.AC, score=1.0)
            for other in cases
            if other.name not in results
        }
        own = TestResult(name=case.name, group=case.group, verdict=verdict, score=score)
        return total(problem, cases, {**unknown, **results, case.name: own})

    return sum_(Verdict.AC, 1.0) != sum_(Verdict.TLE, 0.0)


def _score(
    problem: Problem, counting: Sequence[TestCase], cases: Sequence[TestCase], results: Mapping[str, TestResult]
) -> float:
    if not problem.groups:
        return _mean([(case.weight, _points(results, case)) for case in counting])
    passed = _Passed(problem, cases, results)
    groups = []
    for group in problem.groups:
        members = [case for case in counting if case.group == group.name]
        if members:
            groups.append((group.points, _aggregate(group, members, results) if passed.required(group) else 0.0))
    return _mean(groups)


def _aggregate(group: Group, cases: Sequence[TestCase], results: Mapping[str, TestResult]) -> float:
    scores = [_points(results, case) for case in cases]
    match group.aggregation:
        case Aggregation.SUM:
            return _mean([(case.weight, score) for case, score in zip(cases, scores, strict=True)])
        case Aggregation.MIN:
            return min(scores)
        case Aggregation.PRODUCT:
            return math.prod(scores)
        case _:
            assert_never(group.aggregation)


def _points(results: Mapping[str, TestResult], case: TestCase) -> float:
    return results[case.name].score or 0.0


def _mean(weighted: Sequence[tuple[float, float]]) -> float:
    """Weighted mean; 0 if all weights are 0."""
    weights = math.fsum(weight for weight, _ in weighted)
    return min(1.0, math.fsum(weight * score for weight, score in weighted) / weights) if weights > 0 else 0.0


class _Passed:
    """Tells which groups are passed: all their cases are AC, and the groups that they require are passed."""

    def __init__(self, problem: Problem, cases: Sequence[TestCase], results: Mapping[str, TestResult]) -> None:
        self._problem = problem
        self._clean = {group.name: True for group in problem.groups}
        for case in cases:
            self._clean[case.group] &= results[case.name].verdict is Verdict.AC

    def required(self, group: Group, above: tuple[str, ...] = ()) -> bool:
        if group.name in above:
            raise ProblemError(
                f"problem {self._problem.name}: test group {group.name!r} requires itself; mend its require_pass"
            )
        for name in group.requires:
            other = self._problem.group(name)
            if not self._clean[other.name] or not self.required(other, (*above, group.name)):
                return False
        return True
