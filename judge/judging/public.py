"""Removes what would reveal hidden tests: from a Judgement, and from a problem."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from judge.common.models import DroppedTest, Judgement, TestResult, Verdict
from problems.model import Group, Problem

#: What is told in place of a `detail`. A program can write its input into each byte count of the true one.
_DETAILS = {
    Verdict.TLE: "over the time limit",
    Verdict.MLE: "over the memory limit",
    Verdict.OLE: "over the output limit",
}
#: A program that uses as much time and memory as its input says tells fewer bits of it when these are rounded up.
_TIME_NS, _MEMORY_BYTES = 10_000_000, 1 << 20


def public(judgement: Judgement, samples: Collection[str]) -> Judgement:
    """What the author of a program may see of its judgement. Tests whose names are in `samples` are shown whole, of the
    others what `hide_result` leaves. The result is made from what may be shown: a field that is not named
    here is not."""
    return Judgement(
        id=judgement.id,
        problem=judgement.problem,
        language=judgement.language,
        verdict=judgement.verdict,
        accepted=judgement.accepted,
        score=judgement.score,
        raw_score=judgement.raw_score,
        objective=judgement.objective,
        efficiency=None if judgement.efficiency is None else round(judgement.efficiency, 1),  # a program can choose it
        complete=judgement.complete,
        compile=judgement.compile,
        tests=tuple(test if test.name in samples else hide_result(test) for test in judgement.tests),
        isolation=judgement.isolation,
        cpu_ns=_up(judgement.cpu_ns, _TIME_NS) or 0,
        wall_ns=_up(judgement.wall_ns, _TIME_NS) or 0,
        memory_bytes=_up(judgement.memory_bytes, _MEMORY_BYTES),
        freopen_neutralised=judgement.freopen_neutralised,
        dropped=tuple(DroppedTest(name=test.name, reason="") for test in judgement.dropped),
        error="internal error" if judgement.error else None,
        cached=judgement.cached,
    )


def keep_samples(problem: Problem) -> Problem | None:
    """The problem without its hidden tests, where the samples count; None: it has no samples."""
    cases = tuple(replace(case, group="sample") for case in problem.cases if case.sample)
    return replace(problem, cases=cases, generated=(), groups=(Group(name="sample"),)) if cases else None


def hide_result(test: TestResult) -> TestResult:
    """The result of a hidden test without what would reveal it: of what a program can choose by its input, only the
    verdict, the score, and rounded time and memory."""
    return TestResult(
        name=test.name,
        group=test.group,
        verdict=test.verdict,
        score=test.score,
        cpu_ns=_up(test.cpu_ns, _TIME_NS),
        wall_ns=_up(test.wall_ns, _TIME_NS),
        memory_bytes=_up(test.memory_bytes, _MEMORY_BYTES),
        memory_source=test.memory_source,
        detail=_DETAILS.get(test.verdict, ""),
    )


def _up(value: int | None, unit: int) -> int | None:
    return None if value is None else -(-value // unit) * unit
