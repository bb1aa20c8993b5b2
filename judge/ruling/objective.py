"""Says what a raw score is worth, of a problem whose raw scores have no ceiling. Pure functions.

ratio       without a baseline: raw / best, or best / raw where the least is best;
            with one: (raw - baseline) / (best - baseline)
log-ratio   log(raw / baseline) / log(best / baseline)
rank        the share of the kept raw scores that it is at least as good as
own         what the checker says

Each is cut to [0, 1]: `score` is for trainers. The raw score stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from judge.common.models import ObjectiveReport, TestResult, Verdict
from judge.ruling.classify import Ruling
from problems.model import Aggregation, Direction, Judged, Normaliser, Objective, Problem, TestCase, Total


def rate(problem: Problem, case: TestCase, ruling: Ruling, score: float | None) -> tuple[Ruling, float | None]:
    """Verdict and score of a test whose checker accepted with a raw score; else those that are given."""
    if ruling.raw_score is None or problem.objective is None:
        return ruling, score
    if problem.objective.normaliser is not Normaliser.OWN:
        score = share_of(problem.objective, ruling.raw_score, *_find_ends(problem.objective, case))
    return replace(ruling, verdict=Verdict.AC if (score or 0.0) >= 1 else Verdict.PC), score


def share_of(objective: Objective, raw: float, best: float | None, baseline: float | None) -> float:
    """What a raw score is worth, in [0, 1]. `best`, `baseline`: raw scores of this test, as the package has them."""
    sign = 1 if objective.direction is Direction.MAX else -1
    match objective.normaliser:
        case Normaliser.RANK:
            share = sum(sign * raw >= sign * other for other in objective.kept) / len(objective.kept)
        case Normaliser.RATIO:
            share = _ratio(sign, raw, best or 1.0, baseline)
        case Normaliser.LOG_RATIO:
            share = _log_ratio(sign, raw, best or 1.0, baseline or 1.0)
        case Normaliser.OWN:
            raise ValueError("the checker says it")
        case _:
            assert_never(objective.normaliser)
    return min(1.0, max(0.0, share))


def _ratio(sign: int, raw: float, best: float, baseline: float | None) -> float:
    if baseline is not None:
        return (raw - baseline) / (best - baseline)
    if sign > 0:
        return raw / best
    return 1.0 if raw <= best else best / raw


def _log_ratio(sign: int, raw: float, best: float, baseline: float) -> float:
    if raw <= 0:
        return float(sign < 0)
    start = math.log(baseline)  # a quotient of the two could be no number
    return (math.log(raw) - start) / (math.log(best) - start)


def report(
    problem: Problem, cases: Sequence[Judged], results: Mapping[str, TestResult]
) -> tuple[float | None, ObjectiveReport | None]:
    """The raw score of a submission, and what it is to be compared with. `cases`: those that count.

    No raw score: a test has none, or its group does more than add. No best, or no baseline: a test has none.
    """
    objective = problem.objective
    if objective is None:
        return None, None
    added = all(group.aggregation is Aggregation.SUM for group in problem.groups if group.counted)
    played = [case for case in cases if isinstance(case, TestCase) and case.full_score is not None]
    ends = [_find_ends(objective, case) for case in played]

    def total(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        if not added or not known or len(known) < len(values):
            return None
        return math.fsum(known) / (len(known) if objective.total is Total.MEAN else 1)

    return total([results[case.name].raw_score for case in played]), ObjectiveReport(
        direction=objective.direction.value,
        normaliser=objective.normaliser.value,
        best=total([best for best, _ in ends]),
        baseline=total([baseline for _, baseline in ends]),
    )


def _find_ends(objective: Objective, case: TestCase) -> tuple[float | None, float | None]:
    """The best and the baseline of a test."""
    best = objective.best if case.best is None else case.best
    if best is None and objective.normaliser is Normaliser.RATIO:
        best = case.full_score  # of `max_score: unbounded`
    return best, objective.baseline if case.baseline is None else case.baseline
