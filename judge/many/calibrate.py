"""Proposes a time limit by the rule of the ICPC format (2025-09, "Timelimit inference"), from measurements.

    submissions that must not time out   the slowest test T of all of them:  limit >= T x ac_to_time_limit
    submissions that must time out       the slowest test T of each of them: limit <= T / time_limit_to_tle

The limit is the least multiple of `time_resolution` that the first rule allows. Every test is measured several times;
the least CPU time counts, for other load only adds to it. What must time out runs until that is sure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import problems
from judge.common.models import Options, Stop, Verdict
from judge.judging.time_limits import MOST_NS, times_by_test
from judge.many.pool import Judge
from judge.many.verify import label, missing, request
from problems.errors import ProblemError
from problems.files.tree import Tree
from problems.model import SECOND_NS, LabelledSubmission, Problem
from problems.reading.time_rule import TimeRule, bounded_side, read_time_rule

#: Beyond the limit, so that a time measured at its very edge is sure.
_MARGIN = 1.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A submission and its slowest test."""

    submission: str
    test: str
    #: Of the slowest test, the least of all measurements.
    cpu_ns: int
    #: All measurements of that test.
    samples_ns: tuple[int, ...] = ()
    #: It was stopped: it would have taken longer.
    stopped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    problem: str
    rule: TimeRule
    repeats: int
    #: None: the package states none.
    stated_ns: int | None
    #: The limit that the rule gives.
    proposed_ns: int
    #: Slowest first.
    lower: tuple[Measured, ...]
    #: Fastest first.
    upper: tuple[Measured, ...]
    #: Submissions that say nothing about the limit, or that this machine cannot judge, and why.
    aside: dict[str, str] = field(default_factory=dict)

    @property
    def conflict(self) -> str | None:
        """Why no limit fits; None: the proposed one does."""
        fast = [one for one in self.upper if not one.stopped]
        if not fast:
            return None
        return (
            f"{fast[0].submission} must time out, but takes only {fast[0].cpu_ns / SECOND_NS:.3f} s "
            f"({fast[0].test}): make that test larger, the accepted submissions faster, or limits.time_resolution finer"
        )


def calibrate(
    judge: Judge, reference: str | Path, *, repeats: int = 3, tell: Callable[[str], None] = lambda _: None
) -> Calibration:
    """Measure the labelled submissions of a package, and propose its time limit.

    Raises:
        ProblemError: the package cannot be used, no submission bounds the limit from below, or one of those that do
            does not run to its end.
    """
    problem = problems.load(reference)
    rule = read_time_rule(Tree(problem.directory, problem.name))
    aside: dict[str, str] = {}
    sides: dict[str, list[LabelledSubmission]] = {"lower": [], "upper": []}
    for one in problem.submissions:
        side = bounded_side(problem, one)
        why = missing(judge, request(reference, one, problem.constants)) if side in sides else side
        if why is None:
            sides[side].append(one)
        else:
            aside[label(one)] = why
    if not sides["lower"]:
        raise ProblemError(f"problem {problem.name}: no submission must be in time; add one to submissions/accepted")
    measured = []
    for number, one in enumerate(sides["lower"], 1):
        tell(f"{problem.name}: {label(one)} ({number} of {len(sides['lower'])})")
        measured.append(_measure_submission(judge, reference, problem, one, MOST_NS, repeats))
    lower = tuple(sorted(measured, key=lambda one: -one.cpu_ns))
    proposed = rule.limit_ns(lower[0].cpu_ns)
    sure = round(proposed * rule.time_limit_to_tle * _MARGIN)
    upper = []
    for one in sides["upper"]:
        tell(f"{problem.name}: {label(one)}, which must time out")
        upper.append(_measure_submission(judge, reference, problem, one, sure, 1, times_out=True))
    return Calibration(
        problem=problem.name,
        rule=rule,
        repeats=repeats,
        stated_ns=problem.stated_cpu_ns,
        proposed_ns=proposed,
        lower=lower,
        upper=tuple(sorted(upper, key=lambda one: one.cpu_ns)),
        aside=aside,
    )


def _measure_submission(
    judge: Judge,
    reference: str | Path,
    problem: Problem,
    one: LabelledSubmission,
    most_ns: int,
    repeats: int,
    *,
    times_out: bool = False,
) -> Measured:
    options = Options(
        stop=Stop.FIRST_FAILURE if times_out else Stop.NEVER,
        cpu_ns=most_ns,
        language_multiplier=False,
        verdict_cache=False,
    )
    row = request(reference, one, problem.constants)
    judged = [judge.judge(row, options) for _ in range(repeats)]
    if failed := next((each for each in judged if each.verdict in (Verdict.IE, Verdict.CE)), None):
        why = failed.error or (failed.compile.output[:200] if failed.compile else "")
        raise ProblemError(f"problem {problem.name}: {label(one)} cannot be measured: {failed.verdict}: {why}")
    times = times_by_test(judged)
    test = max(times, key=lambda name: min(times[name]), default=None)
    if test is None:
        raise ProblemError(f"problem {problem.name}: {label(one)} ran on no test")
    stopped = any(each.verdict is Verdict.TLE for run in judged for each in run.tests)
    if stopped and not times_out:
        most = f"{most_ns // SECOND_NS} s on {test}"
        raise ProblemError(f"problem {problem.name}: {label(one)} must be in time, but takes more than {most}")
    return Measured(
        submission=label(one), test=test, cpu_ns=min(times[test]), samples_ns=tuple(times[test]), stopped=stopped
    )
