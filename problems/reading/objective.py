"""Reads what raw scores without a ceiling are worth: `objective` in judge.yaml, or `max_score: unbounded`.

The validator writes the raw score of a test to score.txt. Version `legacy` calls a problem whose least score is best
`grading: {objective: min}`, and says nowhere what the best one is: judge.yaml has to.
"""

from __future__ import annotations

import dataclasses

from problems.files.tree import Tree
from problems.model import Convention, Direction, Normaliser, Objective, Problem, Program, TestCase
from problems.reading.points import scores, with_convention


def apply_objective(tree: Tree, problem: Problem, objective: Objective) -> Problem:
    """The problem whose validator writes raw scores. Tests of version `legacy` weigh the same, whatever their range.

    Raises:
        ProblemError: no program can write raw scores, or a test lacks what the normaliser needs.
    """
    where = tree.root / "judge.yaml"
    if problem.manager is not None:
        raise tree.error(where, "objective: a manager gives shares, no raw scores", "remove objective")
    judge = problem.interactor or problem.checker
    says_shares = isinstance(judge, Program) and judge.convention is Convention.FRONTIER_CS
    if says_shares is not (objective.normaliser is Normaliser.OWN) or not (says_shares or scores(problem)):
        what = f"objective: with normaliser {objective.normaliser} raw scores come from score.txt"
        if objective.normaliser is Normaliser.OWN:
            what = f"objective: normaliser own is for the convention {Convention.FRONTIER_CS}"
        raise tree.error(where, what, "add a program to output_validator/, or remove objective")
    problem = with_convention(dataclasses.replace(problem, objective=objective), Convention.ICPC_UNBOUNDED)
    for case in problem.cases:
        if problem.group(case.group).counted and case.full_score is not None and (what := _find_lack(objective, case)):
            raise tree.error(where, f"objective: test {case.name} {what}", "state it in objective, or in cases")
    return problem


def refuse_idle(tree: Tree, problem: Problem) -> None:
    """
    Raises:
        ProblemError: something speaks of raw scores, and nothing says what they are worth.
    """
    where, remedy = tree.root / "judge.yaml", "state objective, or remove it"
    judges = (problem.checker, problem.interactor, *(case.checker for case in problem.cases))
    if any(isinstance(judge, Program) and judge.convention is Convention.ICPC_UNBOUNDED for judge in judges):
        raise tree.error(where, f"convention {Convention.ICPC_UNBOUNDED}: there is no objective", remedy)
    for case in problem.cases:
        if case.best is not None or case.baseline is not None:
            raise tree.error(where, f"cases.{case.name}: best and baseline are of an objective: there is none", remedy)


def with_full_scores_as_best(problem: Problem) -> Problem:
    """The problem of `max_score: unbounded`: the best raw score of a test is what the package says that it is worth."""
    cases = tuple(dataclasses.replace(case, best=case.full_score) for case in problem.cases)
    return dataclasses.replace(problem, objective=Objective(), cases=cases)


def _find_lack(objective: Objective, case: TestCase) -> str:
    """Why the objective says nothing about the raw scores of this test; empty: it does."""
    best = objective.best if case.best is None else case.best
    baseline = objective.baseline if case.baseline is None else case.baseline
    if objective.normaliser in (Normaliser.RANK, Normaliser.OWN):
        return ""
    if best is None:
        return "has no best raw score"
    if baseline is None and objective.normaliser is Normaliser.LOG_RATIO:
        return "has no baseline, which log-ratio needs"
    if baseline is None and best <= 0:
        return f"has the best raw score {best:g}: without a baseline it has to be above 0"
    if baseline is None:
        return ""
    if objective.normaliser is Normaliser.LOG_RATIO and min(best, baseline) <= 0:
        return f"has the raw scores {best:g} and {baseline:g}: for log-ratio both have to be above 0"
    if baseline >= best if objective.direction is Direction.MAX else baseline <= best:
        return f"has a baseline ({baseline:g}) that is no worse than the best ({best:g})"
    return ""
