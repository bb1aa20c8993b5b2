"""Turns test results into a score, a verdict and `accepted`. Pure functions.

score    without groups: sum(weight x score) / sum(weight) over the counted tests
         with groups: sum(points x aggregate) / sum(points) over the counted groups whose requirements are passed;
         a group that lies in another is a part of it, as its cases are
verdict  that of the first counted test, in test order, that is not AC; but IE if any counted test is IE
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from judge.common.models import TestResult, Verdict
from judge.ruling.scripted import of_case, of_group, ruled
from problems.errors import ProblemError
from problems.model import Aggregation, Group, Judged, Problem
from problems.text.script import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    verdict: Verdict
    accepted: bool
    #: In [0, 1]; None: a counted test is IE.
    score: float | None


def counted(problem: Problem, case: Judged) -> bool:
    """Whether the case counts. Its group says so; without groups, all but the samples count."""
    return problem.group(case.group).counted if problem.groups else not case.sample


#: The share of its points that a group with a grader earns, from verdict and points of all that is in it.
Grade = Callable[[Group, Sequence[tuple[Verdict, float]]], float]


def total(
    problem: Problem, cases: Sequence[Judged], results: Mapping[str, TestResult], grade: Grade | None = None
) -> Total:
    """Score and verdict of a submission. `cases`: in test order, without dropped ones; `results`: by a case's name.
    `grade` is needed where a group has a grader."""
    counting = [case for case in cases if counted(problem, case)]
    verdicts = [results[case.name].verdict for case in counting]
    if Verdict.IE in verdicts:
        return Total(verdict=Verdict.IE, accepted=False, score=None)
    failed = [verdict for verdict in verdicts if verdict not in (Verdict.AC, Verdict.SK)]
    accepted = all(verdict is Verdict.AC for verdict in verdicts)
    scripted = any(group.script is not None for group in problem.groups)
    return Total(
        verdict=failed[0] if failed else Verdict.AC,
        accepted=accepted,
        score=1.0 if accepted and grade is None and not scripted else _score(problem, counting, cases, results, grade),
    )


def matters(problem: Problem, cases: Sequence[Judged], results: Mapping[str, TestResult], case: Judged) -> bool:
    """Whether the verdict or the score can still depend on `case`, given the `results` of other cases. Cases without a
    result are taken as AC: by no rule does a case matter more if another one fails. Where the greatest counts, or a
    program computes points, every counted case matters."""
    if any(group.aggregation is Aggregation.MAX or group.grader or group.script for group in problem.groups):
        return counted(problem, case)

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
    problem: Problem,
    counting: Sequence[Judged],
    cases: Sequence[Judged],
    results: Mapping[str, TestResult],
    grade: Grade | None,
) -> float:
    if not problem.groups:
        return _mean([(case.weight, _points(results, case)) for case in counting])
    return _Groups(problem, counting, cases, results, grade).score()


def _points(results: Mapping[str, TestResult], case: Judged) -> float:
    return results[case.name].score or 0.0


def _mean(weighted: Sequence[tuple[float, float]]) -> float:
    """Weighted mean; 0 if all weights are 0."""
    weights = math.fsum(weight for weight, _ in weighted)
    return min(1.0, math.fsum(weight * score for weight, score in weighted) / weights) if weights > 0 else 0.0


class _Groups:
    """The groups of a problem, with what they hold and what became of it."""

    def __init__(
        self,
        problem: Problem,
        counting: Sequence[Judged],
        cases: Sequence[Judged],
        results: Mapping[str, TestResult],
        grade: Grade | None = None,
    ) -> None:
        self._problem = problem
        self._grade = grade
        self._results = results
        self._cases: dict[str, list[Judged]] = {group.name: [] for group in problem.groups}
        for case in counting:
            self._cases[case.group].append(case)
        #: Whether all cases in it are AC, and whether none is refused; also those of the groups in it.
        self._clean = dict.fromkeys(self._cases, True)
        self._spared = dict.fromkeys(self._cases, True)
        for case in cases:
            verdict = results[case.name].verdict
            for name in self._holders(case.group):
                self._clean[name] &= verdict is Verdict.AC
                self._spared[name] &= verdict in (Verdict.AC, Verdict.PC)
        #: What scripts learn of groups, by name, once it is known.
        self._made: dict[str, Part] = {}
        #: Groups with a counted case, by the group that they lie in.
        self._parts: dict[str | None, list[Group]] = {}
        full = {name for case in counting for name in self._holders(case.group)}
        for group in problem.groups:
            if group.name in full:
                self._parts.setdefault(group.within, []).append(group)

    def score(self) -> float:
        return _mean([(group.points, self._value(group)) for group in self._parts.get(None, ())])

    def _holders(self, name: str) -> list[str]:
        """The group and those that it lies in, inwards first."""
        found: list[str] = []
        within: str | None = name
        while within is not None:
            if within in found:
                raise ProblemError(f"problem {self._problem.name}: test group {within!r} lies in itself; mend within")
            found.append(within)
            within = self._problem.group(within).within
        return found

    def _value(self, group: Group) -> float:
        """The share of its points that the group earns."""
        if not self._required(group) or (group.void_if_refused and not self._spared[group.name]):
            return 0.0
        if group.script is not None:
            return min(1.0, max(0.0, self._part(group).points / group.points)) if group.points > 0 else 0.0
        parts = [(part.points, self._value(part)) for part in self._parts.get(group.name, ())]
        cases = [(case.weight, _points(self._results, case)) for case in self._cases[group.name]]
        if group.grader is not None and self._grade is not None:
            return self._grade(group, self._lines(group, parts, cases))
        if not parts and group.aggregation is not Aggregation.SUM:
            cases = [(1.0, score) for _, score in cases]
        return _aggregate(group.aggregation, cases + parts)

    def _part(self, group: Group) -> Part:
        """What a script learns of the group, or makes of it."""
        if (known := self._made.get(group.name)) is not None:
            return known
        parts = {part.name: self._part(part) for part in self._parts.get(group.name, ())}
        parts |= {case.name: of_case(case, self._results[case.name]) for case in self._cases[group.name]}
        if group.script is not None:
            made = ruled(group.script, parts)
        else:
            points = group.points * self._value(group)
            made = of_group(points, list(parts.values()), clean=self._clean[group.name])
        self._made[group.name] = made
        return made

    def _lines(
        self, group: Group, parts: Sequence[tuple[float, float]], cases: Sequence[tuple[float, float]]
    ) -> list[tuple[Verdict, float]]:
        """Verdict and points of what is in a group: the groups, then the cases."""
        names = [part.name for part in self._parts.get(group.name, ())]
        found = [
            (Verdict.AC if self._clean[name] or points * share > 0 else Verdict.WA, points * share)
            for name, (points, share) in zip(names, parts, strict=True)
        ]
        for case, (points, share) in zip(self._cases[group.name], cases, strict=True):
            verdict = self._results[case.name].verdict
            found.append((Verdict.AC if verdict is Verdict.PC else verdict, points * share))
        return found

    def _required(self, group: Group, above: tuple[str, ...] = ()) -> bool:
        """Whether all groups that it requires are passed: all their cases are AC, and what they require is passed."""
        if group.name in above:
            raise ProblemError(
                f"problem {self._problem.name}: test group {group.name!r} requires itself; mend its require_pass"
            )
        for name in group.requires:
            other = self._problem.group(name)
            if not self._clean[other.name] or not self._required(other, (*above, group.name)):
                return False
        return True


def _aggregate(aggregation: Aggregation, parts: Sequence[tuple[float, float]]) -> float:
    """From the points of each part and the share of them that it earned to the share of the whole."""
    earned = [points * share for points, share in parts]
    most = [points for points, _ in parts]
    match aggregation:
        case Aggregation.SUM:
            return _mean(parts)
        case Aggregation.MIN:
            return min(earned) / min(most) if min(most) > 0 else 0.0
        case Aggregation.MAX:
            return max(earned) / max(most) if max(most) > 0 else 0.0
        case Aggregation.PRODUCT:
            return math.prod(share for _, share in parts)
        case _:
            assert_never(aggregation)
