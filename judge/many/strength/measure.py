"""The strength of a problem's tests: how many mutants of its accepted submissions they kill."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import problems
from judge import languages
from judge.common.models import OUTPUTS, Judgement, Submission, Verdict
from judge.common.rates import wilson
from judge.many.pool import Judge
from judge.many.strength.compare import REFUSES_NOTHING, Comparer, Difference, Row, Tell, judge_programs, right, rows
from judge.many.strength.inputs import Inputs, why_not
from problems.errors import ProblemError
from problems.model import Problem
from problems.strength.commands import Command
from problems.strength.mutants import FAMILIES, Mutant, mutants, sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much is tried."""

    #: Mutants of a problem at most.
    mutants: int = 60
    #: Random inputs at most, on which survivors are compared.
    inputs: int = 200
    #: Large ones, on which mutants are compared that no small one tells apart.
    large: int = 6
    seed: int = 1
    #: Where there is no input validator, an input counts on which at least two accepted submissions agree.
    unvalidated: bool = False
    #: Where a program has too few mutants, mutants of mutants are made, too.
    twice: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Survivor:
    """A mutant that no test refuses."""

    mutant: Mutant
    #: An input on which it is refused; None: none was found.
    difference: Difference | None = None
    #: The generator of the package that printed this input, and its arguments; None: another source.
    command: Command | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """Labelled submissions: how many were judged, and how many of them were accepted."""

    judged: int = 0
    accepted: int = 0

    @property
    def rate(self) -> float | None:
        """The share that was accepted; None: none was judged."""
        return self.accepted / self.judged if self.judged else None

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson interval of the rate, of 95 %."""
        return wilson(self.accepted, self.judged)


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """What was measured of one problem."""

    problem: str
    #: Names of the accepted submissions that were mutated.
    origins: tuple[str, ...]
    killed: int
    #: Those of them that a comparison or a checker refused: they ended well, and wrote something wrong.
    refused_outputs: int
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
    #: No validator has seen these inputs: accepted submissions agree on those that survivors fail on.
    unvalidated: bool
    #: Inputs on which the accepted submissions themselves differ.
    disputed: int
    #: Tests that refused no program first: what they refuse, an earlier one refuses, too.
    idle: tuple[str, ...]
    #: Right submissions, of which all should be accepted (the rate of true positives), and wrong ones, of which none
    #: should be (the rate of false positives).
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
    problem = problems.load(reference)
    return measure_with(judge, problem, rows(judge, problem), effort or Effort(), tell)


def measure_with(
    judge: Judge, problem: Problem, labelled: Sequence[Row], effort: Effort, tell: Tell = lambda what, done, all_: None
) -> Strength:
    """As `measure`, with these labelled submissions."""
    began = time.monotonic_ns()
    origins = [
        row
        for expected, row in labelled
        if expected == {"AC"} and row.language != OUTPUTS and languages.get(row.language).family in FAMILIES
    ]
    if not origins:
        raise ProblemError(
            f"problem {problem.name}: no accepted submission in C++ or Python to make mutants of; add one"
        )
    of_labelled = judge_programs(judge, [row for _, row in labelled], tell, "labelled")
    _check(problem, labelled, of_labelled)
    made = _mutants(origins, effort)
    results = judge_programs(judge, [of_mutant(problem, mutant) for mutant in made], tell, "mutants")
    passed = [mutant for mutant, result in zip(made, results, strict=True) if result.verdict is Verdict.AC]
    compared, inputs, reason, disputed = _compare_mutants(judge, problem, right(labelled), passed, effort, tell)
    verdicts = [result.verdict for result in results]
    return Strength(
        problem=problem.name,
        origins=tuple(row.id or "" for row in origins),
        killed=sum(verdict not in {Verdict.AC, Verdict.CE, Verdict.IE} for verdict in verdicts),
        refused_outputs=sum(verdict in {Verdict.WA, Verdict.PE} for verdict in verdicts),
        survivors=tuple(one for one in compared if one.difference is not None),
        alike=tuple(one for one in compared if one.difference is None),
        uncompiled=verdicts.count(Verdict.CE),
        failed=verdicts.count(Verdict.IE),
        inputs=inputs,
        uncompared=reason,
        unvalidated=effort.unvalidated and not problem.input_validators,
        disputed=disputed,
        idle=_idle([*of_labelled, *results]),
        right=_choose_labelled(labelled, of_labelled, right=True),
        wrong=_choose_labelled(labelled, of_labelled, right=False),
        wall_ns=time.monotonic_ns() - began,
    )


def _mutants(origins: Sequence[Submission], effort: Effort) -> list[Mutant]:
    found = [
        mutant
        for row in origins
        if not row.files  # inputs are tried with programs of one file
        for mutant in mutants(row.source, languages.get(row.language).family, row.id or "", row.language)
    ]
    chosen = sample(found, effort.mutants, effort.seed)
    if effort.twice and len(chosen) < effort.mutants:
        again = [
            mutant
            for one in found
            for mutant in mutants(one.source, languages.get(one.language).family, one.origin, one.language)
        ]
        known = {one.original for one in found} | {one.source for one in found}
        new = {one.source: one for one in again if one.source not in known}
        chosen += sample(list(new.values()), effort.mutants - len(chosen), effort.seed)
    return chosen


def of_mutant(problem: Problem, mutant: Mutant) -> Submission:
    return Submission(source=mutant.source, problem=problem, language=mutant.language)


def _check(problem: Problem, labelled: Sequence[Row], said: Sequence[Judgement]) -> None:
    """
    Raises:
        ProblemError: the tests refuse an accepted submission: its mutants would say nothing.
    """
    for (expected, row), judgement in zip(labelled, said, strict=True):
        if expected == {"AC"} and not judgement.accepted:
            why = judgement.error or judgement.verdict
            raise ProblemError(
                f"problem {problem.name}: {row.id} is not accepted ({why}); `judge problems verify` says more"
            )


def _compare_mutants(
    judge: Judge,
    problem: Problem,
    accepted: Sequence[Submission],
    passed: Sequence[Mutant],
    effort: Effort,
    tell: Tell,
) -> tuple[list[Survivor], int, str | None, int]:
    """The mutants that passed, each with an input that refuses it if one is found; how many inputs; why none; on how
    many of them the accepted submissions differ."""
    alike = [Survivor(mutant=mutant) for mutant in passed]
    if not passed:
        return alike, 0, None, 0
    if (reason := why_not(problem, len(accepted), unvalidated=effort.unvalidated)) is not None:
        return alike, 0, reason, 0
    with tempfile.TemporaryDirectory(prefix="judge-strength-") as name:
        comparer = Comparer(judge=judge, problem=problem, directory=Path(name), accepted=accepted, tell=tell)
        source = Inputs(judge, problem, comparer.directory, effort.seed, accepted)
        tests = comparer.answer_inputs(source.more(effort.inputs)[: effort.inputs])
        large = comparer.answer_inputs(source.large(effort.large)) if problem.input_validators else []
        if not tests and not large:
            return alike, 0, "no random input is valid, and answered by the accepted submissions", 0
        found = comparer.differences(tests, [of_mutant(problem, mutant) for mutant in passed])
        left = [index for index, one in enumerate(found) if one is None]
        last = comparer.differences(large, [of_mutant(problem, passed[index]) for index in left])
        for index, one in zip(left, last, strict=True):
            found[index] = one
    survivors = [
        Survivor(mutant=mutant, difference=one, command=source.commands.get(one.input) if one else None)
        for mutant, one in zip(passed, found, strict=True)
    ]
    return survivors, len(tests) + len(large), None, comparer.disputed


def _idle(judgements: Sequence[Judgement]) -> tuple[str, ...]:
    """The tests that were the first to refuse none of the programs, in judging order."""
    names: dict[str, None] = {}
    first: set[str] = set()
    for judgement in judgements:
        names.update(dict.fromkeys(test.name for test in judgement.tests))
        refused = [test.name for test in judgement.tests if test.verdict not in REFUSES_NOTHING]
        first.update(refused[:1])
    return tuple(name for name in names if name not in first)


def _choose_labelled(labelled: Sequence[Row], said: Sequence[Judgement], *, right: bool) -> Labelled:
    """Submissions that must be accepted, or that must not. A label that allows both says nothing."""
    decided = [
        judgement
        for (expected, _), judgement in zip(labelled, said, strict=True)
        if (expected == {"AC"} if right else "AC" not in expected) and judgement.verdict is not Verdict.IE
    ]
    return Labelled(judged=len(decided), accepted=sum(judgement.accepted for judgement in decided))
