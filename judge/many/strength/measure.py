"""The strength of a problem's tests: how many mutants of its accepted submissions they kill."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import problems
from judge import languages
from judge.common.models import Judgement, Options, Stop, Submission, Verdict
from judge.common.rates import wilson
from judge.many.pool import Judge
from judge.many.strength.inputs import answered, random_inputs, why_not, with_inputs
from judge.many.verify import label, missing, request
from problems.errors import ProblemError
from problems.model import LabelledSubmission, Problem
from problems.strength.mutants import FAMILIES, Mutant, mutants, sample

_log = logging.getLogger(__name__)

#: Results of a test that refuse no program: a failure of the judge is none of its own.
_REFUSES_NOTHING = frozenset({Verdict.AC, Verdict.SK, Verdict.IE})
#: Told of each judgement: what was judged ("labelled", "mutants", "survivors"), how many are done, of how many.
Tell = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much is tried."""

    #: Mutants of a problem at most.
    mutants: int = 60
    #: Random inputs at most, on which survivors are compared.
    inputs: int = 200
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Survivor:
    """A mutant that no test refuses."""

    mutant: Mutant
    #: An input on which it is refused, with the right answer and its verdict; None: none was found.
    input: bytes | None = None
    answer: bytes | None = None
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """Labelled submissions: how many were judged, and how many of them were accepted."""

    judged: int = 0
    accepted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """What was measured of one problem."""

    problem: str
    #: Names of the accepted submissions that were mutated.
    origins: tuple[str, ...]
    killed: int
    #: Mutants that pass all tests and yet are wrong.
    survivors: tuple[Survivor, ...]
    #: Mutants that pass all tests, and that no random input told apart: probably right programs.
    alike: tuple[Survivor, ...]
    #: Mutants that the compiler refused, and those that could not be judged.
    uncompiled: int
    failed: int
    #: How many random inputs the survivors were compared on, and why there were none.
    inputs: int
    uncompared: str | None
    #: Tests that refused no program first: what they refuse, an earlier one refuses, too.
    idle: tuple[str, ...]
    right: Labelled
    wrong: Labelled
    wall_ns: int

    @property
    def mutants(self) -> int:
        return self.killed + len(self.survivors) + len(self.alike) + self.uncompiled + self.failed

    @property
    def rate(self) -> float | None:
        """The share of the wrong mutants that the tests kill; None: no mutant is known to be wrong."""
        wrong = self.killed + len(self.survivors)
        return self.killed / wrong if wrong else None

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson interval of the rate, of 95 %."""
        return wilson(self.killed, self.killed + len(self.survivors))


def measure(
    judge: Judge, reference: str | Path, effort: Effort | None = None, tell: Tell = lambda what, done, all_: None
) -> Strength:
    """Measure the tests of one problem.

    Raises:
        ProblemError: the package cannot be judged, has no accepted submission in C++ or Python, or one that its tests
            refuse; or tree-sitter is not installed.
    """
    began, effort = time.monotonic_ns(), effort or Effort()
    problem = problems.load(reference)
    rows = [(one, row) for one in problem.submissions if (row := _row(judge, problem, one)) is not None]
    accepted = [replace(row, id=label(one)) for one, row in rows if one.expected == {"AC"}]
    origins = [row for row in accepted if languages.get(row.language).family in FAMILIES]
    if not origins:
        raise ProblemError(
            f"problem {problem.name}: no accepted submission in C++ or Python to make mutants of; add one"
        )
    judged = _judged(judge, [row for _, row in rows], tell, "labelled")
    _check(problem, rows, judged)
    made = _mutants(origins, effort)
    trials = [_submission(problem, origins, index, mutant) for index, mutant in enumerate(made)]
    results = _judged(judge, trials, tell, "mutants")
    passed = [mutant for index, mutant in enumerate(made) if _verdict(results, index) is Verdict.AC]
    compared, inputs, reason = _compared(judge, problem, accepted, origins, passed, effort, tell)
    verdicts = [_verdict(results, index) for index in range(len(made))]
    return Strength(
        problem=problem.name,
        origins=tuple(row.id or "" for row in origins),
        killed=sum(verdict not in {Verdict.AC, Verdict.CE, Verdict.IE} for verdict in verdicts),
        survivors=tuple(one for one in compared if one.input is not None),
        alike=tuple(one for one in compared if one.input is None),
        uncompiled=verdicts.count(Verdict.CE),
        failed=verdicts.count(Verdict.IE),
        inputs=inputs,
        uncompared=reason,
        idle=_idle([*judged.values(), *results.values()]),
        right=_labelled(rows, judged, right=True),
        wrong=_labelled(rows, judged, right=False),
        wall_ns=time.monotonic_ns() - began,
    )


def _row(judge: Judge, problem: Problem, one: LabelledSubmission) -> Submission | None:
    """The labelled submission, if this machine can judge its language."""
    row = replace(request(problem.name, one, problem.constants), problem=problem)
    return row if missing(judge, row) is None else None


def _mutants(origins: Sequence[Submission], effort: Effort) -> list[Mutant]:
    found = [
        mutant
        for row in origins
        if not row.files  # inputs are tried with programs of one file
        for mutant in mutants(row.source, languages.get(row.language).family, row.id or "")
    ]
    return sample(found, effort.mutants, effort.seed)


def _submission(problem: Problem, origins: Sequence[Submission], index: int, mutant: Mutant) -> Submission:
    language = next(row.language for row in origins if row.id == mutant.origin)
    return Submission(source=mutant.source, problem=problem, language=language, id=str(index))


def _judged(judge: Judge, rows: Sequence[Submission], tell: Tell, what: str) -> dict[str, Judgement]:
    """The judgements by the rows' ids. A program that was judged before is not judged again."""
    found: dict[str, Judgement] = {}
    for judgement in judge.judge_many(rows, Options(stop=Stop.FIRST_FAILURE, verdict_cache=True)):
        found[judgement.id or ""] = judgement
        tell(what, len(found), len(rows))
    return found


def _verdict(results: dict[str, Judgement], index: int) -> Verdict:
    return results[str(index)].verdict


def _check(
    problem: Problem, rows: Sequence[tuple[LabelledSubmission, Submission]], judged: dict[str, Judgement]
) -> None:
    """
    Raises:
        ProblemError: the tests refuse an accepted submission: its mutants would say nothing.
    """
    for one, row in rows:
        judgement = judged[row.id or ""]
        if one.expected == {"AC"} and not judgement.accepted:
            why = judgement.error or judgement.verdict
            raise ProblemError(
                f"problem {problem.name}: {label(one)} is not accepted ({why}); `judge problems verify` says more"
            )


def _compared(
    judge: Judge,
    problem: Problem,
    accepted: Sequence[Submission],
    origins: Sequence[Submission],
    passed: Sequence[Mutant],
    effort: Effort,
    tell: Tell,
) -> tuple[list[Survivor], int, str | None]:
    """The mutants that passed, each with an input that refuses it if one is found; how many inputs; why none."""
    alike = [Survivor(mutant=mutant) for mutant in passed]
    if not passed:
        return alike, 0, None
    if (reason := why_not(problem)) is not None:
        return alike, 0, reason
    with tempfile.TemporaryDirectory(prefix="judge-strength-") as name:
        directory = Path(name)
        inputs = random_inputs(judge, problem, directory, effort.inputs, effort.seed)
        tests = answered(judge, problem, directory, inputs, accepted)
        if not tests:
            return alike, 0, "no random input is valid, with an answer that all accepted submissions agree on"
        trial = with_inputs(problem, directory, tests)
        rows = [_submission(trial, origins, index, mutant) for index, mutant in enumerate(passed)]
        judged = _judged(judge, rows, tell, "survivors")
        found = [_survivor(mutant, judged[str(index)], tests) for index, mutant in enumerate(passed)]
    return found, len(tests), None


def _survivor(mutant: Mutant, judgement: Judgement, tests: Sequence[tuple[bytes, bytes]]) -> Survivor:
    for result, (given, answer) in zip(judgement.tests, tests, strict=False):
        if result.verdict not in _REFUSES_NOTHING:
            return Survivor(mutant=mutant, input=given, answer=answer, verdict=result.verdict)
    return Survivor(mutant=mutant)


def _idle(judgements: Sequence[Judgement]) -> tuple[str, ...]:
    """The tests that were the first to refuse none of the programs, in judging order."""
    names: dict[str, None] = {}
    first: set[str] = set()
    for judgement in judgements:
        names.update(dict.fromkeys(test.name for test in judgement.tests))
        refused = [test.name for test in judgement.tests if test.verdict not in _REFUSES_NOTHING]
        first.update(refused[:1])
    return tuple(name for name in names if name not in first)


def _labelled(
    rows: Sequence[tuple[LabelledSubmission, Submission]], judged: dict[str, Judgement], *, right: bool
) -> Labelled:
    """Submissions that must be accepted, or that must not. A label that allows both says nothing."""
    chosen = [
        judged[row.id or ""] for one, row in rows if (one.expected == {"AC"} if right else "AC" not in one.expected)
    ]
    decided = [judgement for judgement in chosen if judgement.verdict is not Verdict.IE]
    return Labelled(judged=len(decided), accepted=sum(judgement.accepted for judgement in decided))
