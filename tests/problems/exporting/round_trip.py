"""Exports a problem, reads it back, and judges the original's labelled submissions on both."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import problems
from judge import Judge, Options, Stop
from judge.many.verify import label, missing, request
from problems import Problem
from problems.exporting import export
from problems.importing import import_problems

#: Formats that are read as packages. The others are imported.
PACKAGES = ("icpc", "kattis")


def whole(judge: Judge, name: str | Path, format: str, place: Path, *, lenient: bool = False) -> Problem:
    """The problem after its way through another format."""
    with judge.build_tests(name) as problem:
        export(problem, format, place, lenient=lenient)
    if format in PACKAGES:
        return problems.load(place)
    (one,) = import_problems(place, place.parent / "back", format=format, lenient=lenient)
    assert one.package is not None, one.error
    return problems.load(one.package)


def verdicts(
    judge: Judge, problem: Problem, tests: Path, *, scores: bool = False, most: int | None = None
) -> Mapping[str, object]:
    """What the labelled submissions of `problem` get on the tests of the package `tests`."""
    rows = []
    for submission in problem.submissions[:most]:
        row = request(tests, submission, problem.constants)
        if missing(judge, row) is None:
            rows.append(row)
    labels = {str(one.path): label(one) for one in problem.submissions}
    stop = Stop.NEVER if scores else Stop.FIRST_FAILURE
    judged = judge.judge_many(rows, Options(stop=stop, verdict_cache=False))
    return {
        labels[one.id or ""]: (str(one.verdict), round(one.score or 0, 6)) if scores else str(one.verdict)
        for one in judged
    }
