"""Says what a program that judges may write to score.txt, for each test (2025-09, "Scoring test cases").

It writes points: up to what the test has of its group's. In samples and in groups with `pass-fail`, where a test has no
points of its own, what it writes does not count. The specification calls such a file in `pass-fail` an error of the
package. Its exit code says all that is needed there, so no submission is lost to it.

`max_score: unbounded` states no number that a score could be a share of. We take one that the package states elsewhere
(`reference`). A test that earns more than its part of that counts as full: a share is at most 1, and a submission that
is better than expected is no fault of the package.
"""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import TypeVar

from problems.files.tree import Tree
from problems.model import Aggregation, Checker, Convention, Problem, Program

Judge = TypeVar("Judge", bound=Checker | None)

#: Conventions by which score.txt holds points.
POINTS = (Convention.ICPC, Convention.ICPC_UNBOUNDED, Convention.ICPC_LEGACY)


def parts(problem: Problem) -> Mapping[str, float]:
    """The most points of each test: in a sum its part by its weight, else all of its group's."""
    tests = (*problem.judged, *problem.generated)
    groups = {group.name: group for group in problem.groups}
    weights: dict[str, float] = defaultdict(float)
    for test in tests:
        weights[test.group] += test.weight
    return {
        test.name: groups[test.group].points
        if groups[test.group].aggregation is not Aggregation.SUM
        else groups[test.group].points * test.weight / (weights[test.group] or 1.0)
        for test in tests
    }


def scores(problem: Problem) -> bool:
    """Whether a program by the format's convention judges, which may write points."""
    judge = problem.manager.program if problem.manager else problem.interactor or problem.checker
    return isinstance(judge, Program) and judge.convention in POINTS


def with_full_scores(problem: Problem, passing: Collection[str], stated: Collection[str]) -> Problem:
    """The problem with the full score of each test but those `stated`. `passing`: groups with pass-fail."""
    if not scores(problem):
        return problem
    most = parts(problem)
    silent = {group.name for group in problem.groups if not group.counted} | set(passing)

    def full(name: str, group: str) -> float | None:
        return None if group in silent else most[name] or None

    return dataclasses.replace(
        problem,
        cases=tuple(
            case if case.name in stated else dataclasses.replace(case, full_score=full(case.name, case.group))
            for case in problem.cases
        ),
        generated=tuple(
            dataclasses.replace(case, full_score=full(case.name, case.group)) for case in problem.generated
        ),
    )


def with_convention(problem: Problem, convention: Convention) -> Problem:
    """The problem whose programs by the format's convention follow this variant of it."""

    def of(judge: Judge) -> Judge:
        if isinstance(judge, Program) and judge.convention is Convention.ICPC:
            return dataclasses.replace(judge, convention=convention)
        return judge

    cases = tuple(dataclasses.replace(case, checker=of(case.checker)) for case in problem.cases)
    return dataclasses.replace(problem, cases=cases, checker=of(problem.checker), interactor=of(problem.interactor))


def reference(tree: Tree) -> float | None:
    """The best score that submissions.yaml states for a submission."""
    path = tree.file("submissions", "submissions.yaml")
    if path is None:
        return None
    from problems.reading.submission_rules import read_rules  # noqa: PLC0415  # most packages are bounded

    stated = (score for rule in read_rules(tree, path).values() for score in rule.score or ())
    return max((score for score in stated if 0 < score < math.inf), default=None)
