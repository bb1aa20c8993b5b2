"""Turns test results into a score, a verdict and `accepted`. Pure functions.

score    without groups: sum(weight x score) / sum(weight) over the counted tests
         with groups: sum(points x aggregate) / sum(points) over the counted groups whose requirements are passed;
         a group that lies in another is a part of it, as its cases are
verdict  that of the first counted test, in test order, that is not AC; but IE if any counted test is IE. Tests of a
         group that a counted one requires, as of the samples, are counted here, and not in the score
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from judge.common.errors import CheckerError
from judge.common.models import Stop, TestResult, Verdict
from judge.ruling.scripted import of_case, of_group, rule_group
from problems.errors import ProblemError
from problems.model import Aggregation, Group, Judged, Problem
from problems.text.script import Part

#: A share that is all, but for rounding.
FULL = 1 - 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    verdict: Verdict
    accepted: bool
    #: In [0, 1]; None: a counted test is IE.
    score: float | None


def does_count(problem: Problem, case: Judged) -> bool:
    """Whether the case counts. Its group says so; without groups, all but the samples count."""
    return problem.group(case.group).counted if problem.groups else not case.sample


def _list_deciding(problem: Problem, cases: Sequence[Judged]) -> list[Judged]:
    """The cases that the verdict depends on: those that count, and those of groups that counted ones require."""
    required = _list_required(problem)
    return [case for case in cases if does_count(problem, case) or case.group in required]


def _list_required(problem: Problem) -> frozenset[str]:
    """The groups that counted ones require, directly or by way of others, and the groups in them."""
    found: set[str] = set()
    waiting = [name for group in problem.groups if group.counted for name in group.requires]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += problem.group(name).requires
            waiting += [group.name for group in problem.groups if group.within == name]
    return frozenset(found)


#: The share of its points that a group with a grader earns, from verdict and points of all that is in it.
Grade = Callable[[Group, Sequence[tuple[Verdict, float]]], float]


def total(
    problem: Problem, cases: Sequence[Judged], results: Mapping[str, TestResult], grade: Grade | None = None
) -> Total:
    """Score and verdict of a submission. `cases`: in test order, without dropped ones; `results`: by a case's name.
    `grade` is needed where a group has a grader.

    Raises:
        CheckerError: a grader fails, or more points were given to a group than it has.
    """
    counting = [case for case in cases if does_count(problem, case)]
    verdicts = [results[case.name].verdict for case in _list_deciding(problem, cases)]
    if Verdict.IE in verdicts:
        return Total(verdict=Verdict.IE, accepted=False, score=None)
    failed = [verdict for verdict in verdicts if verdict not in (Verdict.AC, Verdict.SK)]
    accepted = all(verdict is Verdict.AC for verdict in verdicts)
    scripted = any(group.script is not None for group in problem.groups)
    whole = accepted and grade is None and not scripted
    return Total(
        verdict=failed[0] if failed else Verdict.AC,
        accepted=accepted,
        score=1.0 if whole else _score(problem, counting, cases, results, grade),
    )


def points_of(problem: Problem, cases: Sequence[Judged], results: Mapping[str, TestResult], group: Group) -> float:
    """The points that a group without a grader earns. All its tests were run, and none is IE.

    Raises:
        CheckerError: more points were given to the group than it has.
    """
    counting = [case for case in cases if does_count(problem, case)]
    return group.points * _Groups(problem, counting, cases, results).share(group)


def is_refused(result: TestResult) -> bool:
    """Whether a test is neither accepted nor worth a part of its points. What was not run is not refused."""
    return result.verdict not in (Verdict.AC, Verdict.PC, Verdict.SK)


def decides(problem: Problem, case: Judged, result: TestResult, stop: Stop) -> bool:
    """Whether no test after this one has to run. Where only `accepted` is wanted a part of the points decides, too, but
    for points whose group alone says of how many they are a part."""
    match stop:
        case Stop.NEVER:
            return False
        case Stop.FIRST_FAILURE:
            return bool(_list_deciding(problem, [case])) and is_refused(result)
        case Stop.ACCEPTED_ONLY:
            part = result.verdict is Verdict.PC and result.points is None
            return bool(_list_deciding(problem, [case])) and (part or is_refused(result))
        case _:
            assert_never(stop)


def settle_points(
    problem: Problem, cases: Sequence[Judged], results: Mapping[str, TestResult], grade: Grade | None = None
) -> Mapping[str, TestResult]:
    """The results, with the tests AC that wrote points into a group that earned all of its own. In version `legacy` a
    range states how many points a group has, and nothing states how many of them a test has. `grade` and the errors: as
    of `total`."""
    if all(result.points is None for result in results.values()):
        return results
    counting = [case for case in cases if does_count(problem, case)]
    if any(results[case.name].verdict is Verdict.IE for case in counting):
        return results
    full = _Groups(problem, counting, cases, results, grade).full()
    return {
        name: replace(result, verdict=Verdict.AC, score=1.0)
        if result.verdict is Verdict.PC and result.points is not None and result.group in full
        else result
        for name, result in results.items()
    }


def matters(problem: Problem, cases: Sequence[Judged], results: Mapping[str, TestResult], case: Judged) -> bool:
    """Whether the verdict or the score can still depend on `case`, given the `results` of other cases. Cases without a
    result are taken as AC: by no rule does a case matter more if another one fails. Where the greatest counts, or a
    program computes points, every counted case matters."""
    if any(group.aggregation is Aggregation.MAX or group.grader or group.script for group in problem.groups):
        return bool(_list_deciding(problem, [case]))

    def sum_(verdict: Verdict, score: float) -> Total:
        own = TestResult(name=case.name, group=case.group, verdict=verdict, score=score)
        return total(problem, cases, {**_with_unknown_right(cases, results), case.name: own})

    return sum_(Verdict.AC, 1.0) != sum_(Verdict.TLE, 0.0)


def can_reach(problem: Problem, cases: Sequence[Judged], results: Mapping[str, TestResult], least: float) -> bool:
    """Whether the score can still become at least `least`: it does if all cases without a result are accepted. Where a
    program computes points nobody knows, nor where tests that follow may write any number of them."""
    unbounded = any(result.points is not None for result in results.values())
    if least <= 0 or unbounded or any(group.grader or group.script for group in problem.groups):
        return True
    try:
        best = total(problem, cases, _with_unknown_right(cases, results)).score
    except CheckerError:  # who sums up says it
        return True
    return best is None or best >= least * FULL


def _with_unknown_right(cases: Sequence[Judged], results: Mapping[str, TestResult]) -> dict[str, TestResult]:
    right = {case.name: TestResult(name=case.name, group=case.group, verdict=Verdict.AC, score=1.0) for case in cases}
    return {**right, **results}


def _score(
    problem: Problem,
    counting: Sequence[Judged],
    cases: Sequence[Judged],
    results: Mapping[str, TestResult],
    grade: Grade | None,
) -> float:
    if not problem.groups:
        return min(1.0, _mean([(case.weight, _share(results, case)) for case in counting]))
    return _Groups(problem, counting, cases, results, grade).score()


def _share(results: Mapping[str, TestResult], case: Judged) -> float:
    """The share of its points that a case earned; more than 1 where it wrote more than it counts for."""
    result = results[case.name]
    if result.points is not None and case.full_score:
        return result.points / case.full_score
    return result.score or 0.0


def _mean(weighted: Sequence[tuple[float, float]]) -> float:
    """Weighted mean; 0 if all weights are 0."""
    weights = math.fsum(weight for weight, _ in weighted)
    return math.fsum(weight * score for weight, score in weighted) / weights if weights > 0 else 0.0


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
        #: Whether all cases in it are AC; also those of the groups in it.
        self._clean = dict.fromkeys(self._cases, True)
        for case in cases:
            for name in self._holders(case.group):
                self._clean[name] &= results[case.name].verdict is Verdict.AC
        #: By group: the share that it earns.
        self._values: dict[str, float] = {}
        #: What scripts learn of groups, by name, once it is known.
        self._made: dict[str, Part] = {}
        #: Groups with a counted case, by the group that they lie in.
        self._parts: dict[str | None, list[Group]] = {}
        full = {name for case in counting for name in self._holders(case.group)}
        for group in problem.groups:
            if group.name in full:
                self._parts.setdefault(group.within, []).append(group)

    def score(self) -> float:
        return max(0.0, min(1.0, _mean([(group.points, self.share(group)) for group in self._parts.get(None, ())])))

    def full(self) -> frozenset[str]:
        """The groups that earned all of their points, and those in them."""
        full = {name for name in self._cases if self.share(self._problem.group(name)) >= FULL}
        return frozenset(name for name in self._cases if not full.isdisjoint(self._holders(name)))

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

    def share(self, group: Group) -> float:
        """The share of its points that the group earns."""
        if group.name not in self._values:
            self._values[group.name] = self._within(group, self._sum_points(group))
        return self._values[group.name]

    def _within(self, group: Group, share: float) -> float:
        """Raises CheckerError if a validator wrote points beyond the range of the group. Where those may be negative
        only what they come to tells."""
        made = [share * group.points]
        if group.grader is None and group.least == 0:
            made += [self._results[case.name].points or 0.0 for case in self._cases[group.name]]
        for points in (max(made), min(made)):
            if points * FULL > group.points or points < group.least - (1 - FULL):
                what = f"the validator gives {points:g} points to {group.name}, of which a range says that it has"
                raise CheckerError(f"{what} {group.least:g} to {group.points:g}")
        return min(1.0, share)

    def _is_refused(self, group: Group) -> bool:
        """Whether the group as a whole is refused: one that is void if something in it is, else one in which nothing is
        accepted."""
        if group.grader is not None and self._grade is not None:
            return self.share(group) == 0 and not self._clean[group.name]
        parts = [self._is_refused(part) for part in self._parts.get(group.name, ())]
        parts += [self._is_out(case) for case in self._cases[group.name]]
        return bool(parts) and (any(parts) if group.void_if_refused else all(parts))

    def _is_out(self, case: Judged) -> bool:
        return self._results[case.name].verdict not in (Verdict.AC, Verdict.PC)

    def _sum_points(self, group: Group) -> float:
        if not self._are_required_passed(group) or (group.void_if_refused and self._is_refused(group)):
            return 0.0
        if group.script is not None:
            return min(1.0, max(0.0, self._part(group).points / group.points)) if group.points > 0 else 0.0
        parts = [(part.points, self.share(part)) for part in self._parts.get(group.name, ())]
        cases = [(case.weight, _share(self._results, case)) for case in self._cases[group.name]]
        if group.grader is not None and self._grade is not None:
            return self._grade(group, self._lines(group, parts))
        if not parts and group.aggregation is not Aggregation.SUM:
            cases = [(1.0, score) for _, score in cases]
        return _aggregate(group.aggregation, cases + parts)

    def _part(self, group: Group) -> Part:
        """What a script learns of the group, or makes of it."""
        if (known := self._made.get(group.name)) is not None:
            return known
        parts = {part.name: self._part(part) for part in self._parts.get(group.name, ())}
        parts |= {case.name: of_case(case, self._results[case.name]) for case in self._cases[group.name]}
        if group.script is not None and self._are_required_passed(group):
            made = rule_group(group.script, parts)
        else:
            points = group.points * self.share(group)
            made = of_group(points, list(parts.values()), clean=self._clean[group.name])
        self._made[group.name] = made
        return made

    def _lines(self, group: Group, parts: Sequence[tuple[float, float]]) -> list[tuple[Verdict, float]]:
        """Verdict and points of what is in a group, in its order, up to the first that is refused if the grader is told
        no more."""
        names = [part.name for part in self._parts.get(group.name, ())]
        found: dict[str, tuple[Verdict, float]] = {}
        for name, (points, share) in zip(names, parts, strict=True):
            refused = self._is_refused(self._problem.group(name))
            found[name] = Verdict.WA if refused else Verdict.AC, points * share
        for case in self._cases[group.name]:
            result = self._results[case.name]
            verdict = Verdict.AC if result.verdict is Verdict.PC else result.verdict
            written = case.weight * (result.score or 0.0) if result.points is None else result.points
            found[case.name] = verdict, written
        lines: list[tuple[Verdict, float]] = []
        for _, line in sorted(found.items(), key=lambda item: item[0].split("/")):
            lines.append(line)
            if group.grader_stops and line[0] is not Verdict.AC:
                break
        return lines

    def _are_required_passed(self, group: Group, above: tuple[str, ...] = ()) -> bool:
        """Whether all groups that it requires are passed: all their cases are AC, and what they require is passed."""
        if group.name in above:
            raise ProblemError(
                f"problem {self._problem.name}: test group {group.name!r} requires itself; mend its require_pass"
            )
        for name in group.requires:
            other = self._problem.group(name)
            if not self._clean[other.name] or not self._are_required_passed(other, (*above, group.name)):
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
