"""Sums up the results of all tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from judge.common.errors import CheckerError
from judge.common.models import Judgement, TestResult, Verdict
from judge.ruling.objective import report
from judge.ruling.scoring import Grade, does_count, settle_points, total
from problems.model import Problem


def sum_results(
    problem: Problem, results: Mapping[str, TestResult], judgement: Judgement, grade: Grade | None
) -> Judgement:
    """`judgement` with the results of the tests."""
    cases = problem.judged
    ordered = tuple(results[case.name] for case in cases)
    try:
        results = settle_points(problem, cases, results, grade)
        ordered = tuple(results[case.name] for case in cases)
        sum_ = total(problem, cases, results, grade)
    except CheckerError as error:
        return replace(judgement, verdict=Verdict.IE, score=None, tests=ordered, error=str(error))
    raw_score, objective = report(problem, [case for case in cases if does_count(problem, case)], results)
    broken = next((result for result in ordered if result.verdict is Verdict.IE), None)
    return replace(
        judgement,
        verdict=sum_.verdict,
        accepted=sum_.accepted,
        score=sum_.score,
        raw_score=raw_score,
        objective=objective,
        complete=all(result.verdict is not Verdict.SK for result in ordered),
        tests=ordered,
        cpu_ns=sum(result.cpu_ns or 0 for result in ordered),
        memory_bytes=max((result.memory_bytes or 0 for result in ordered), default=None),
        error=f"test {broken.name}: {broken.detail}" if broken and sum_.verdict is Verdict.IE else None,
    )
