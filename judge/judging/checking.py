"""Asks the checker of a test about an output."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import problems.model
from judge.checkers.compare import Checked, compare
from judge.checkers.program import ProgramChecker
from judge.common.errors import CheckerError
from judge.common.models import Verdict
from judge.ruling.classify import Ruling
from judge.ruling.objective import rate
from judge.slots.slot import Slot
from problems.model import Comparison, Problem, TestCase

#: Before the command that runs a failed checker: it names files of this machine.
BY_HAND = "\nBy hand: "
#: Whether a checker that failed on an output, and on the test's answer, fails on a right output, too.
Broken = Callable[[ProgramChecker, TestCase], bool]
#: Each ready to run, or why not.
Checkers = Mapping[problems.model.Program, ProgramChecker | CheckerError]


def check_output(
    problem: Problem, checkers: Checkers, slot: Slot, case: TestCase, output: bytes, broken: Broken
) -> tuple[Ruling, float | None]:
    """Verdict and score of what a program printed, or of what was handed in."""
    checker = case.checker or problem.checker
    ready = None
    try:
        if isinstance(checker, Comparison):
            found = compare(output, case.read_answer(), checker)
        else:
            ready = checkers[checker]
            if isinstance(ready, CheckerError):
                raise ready
            found = ready.check(
                slot.checker,
                input=case.read_input(),
                output=output,
                answer=case.read_answer(),
                full_score=case.full_score,
            )
    except CheckerError as error:
        # An answer may be notes for the checker, so that a sound one may fail on it: then an output must not choose IE.
        if isinstance(ready, ProgramChecker) and not broken(ready, case):
            return Ruling(verdict=Verdict.WA, detail=f"on this output the {error}"), 0.0
        if isinstance(ready, ProgramChecker) and (command := _by_hand(problem, ready, case)):
            return Ruling(verdict=Verdict.IE, detail=f"{error}{BY_HAND}{command}"), None
        return Ruling(verdict=Verdict.IE, detail=str(error)), None
    ruling = Ruling(verdict=verdict_of(found), detail=found.detail, points=found.points, raw_score=found.raw_score)
    return rate(problem, case, ruling, found.score)


def tells(case: TestCase) -> bool:
    """Whether a checker that fails on the answer is broken. An empty one is none."""
    return bool(case.read_answer().strip())


def _by_hand(problem: Problem, checker: ProgramChecker, case: TestCase) -> str | None:
    """Generated tests are nowhere that a person could name."""
    if case.answer is None or not case.input.is_relative_to(problem.directory):
        return None
    return checker.by_hand(case.input, case.answer, case.full_score)


def verdict_of(found: Checked) -> Verdict:
    if found.score >= 1:
        return Verdict.AC
    if found.presentation:
        return Verdict.PE
    return Verdict.PC if found.score > 0 or found.points is not None else Verdict.WA
