"""Looks for an input on which a candidate is refused and all accepted submissions are not."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import problems
from judge.common.errors import ConfigError
from judge.common.models import Options, Stop, Submission, Verdict
from judge.many.pool import Judge
from judge.many.strength.compare import Comparer, Difference, Tell, find_accepted
from judge.many.strength.inputs import Inputs, why_not, with_inputs
from problems.errors import ProblemError
from problems.model import Problem

#: Inputs of one round: few at first, so that an obvious difference is found at once.
_FIRST, _MOST = 20, 200
#: After `_LARGE_ROUND` rounds come `_LARGE` large inputs.
_LARGE_ROUND, _LARGE = 2, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How long a search goes on: until one of these is spent. It may take a round longer."""

    seconds: float = 60.0
    inputs: int = 2000
    seed: int = 1
    #: Where there is no input validator, an input counts on which at least two accepted submissions agree.
    unvalidated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stressed:
    """What a search found."""

    problem: Problem
    #: The smallest difference that was found; None: none was.
    difference: Difference | None
    #: Bytes of the input as it was found, before it was made smaller.
    found_bytes: int | None
    #: Random inputs on which the candidate was compared, and those on which accepted submissions differ.
    inputs: int
    disputed: int
    #: No validator has seen the inputs.
    unvalidated: bool
    wall_ns: int


def stress(
    judge: Judge,
    reference: str | Path,
    candidate: Submission,
    budget: Budget | None = None,
    tell: Tell = lambda what, done, all_: None,
) -> Stressed:
    """Compare a candidate with the accepted submissions of a problem on random inputs, and make a difference small.

    `candidate.problem` is not looked at. The problem's own checker compares.

    Raises:
        ProblemError: the problem has no random inputs, or no accepted submission.
        ConfigError: the candidate does not compile.
    """
    began, budget = time.monotonic(), budget or Budget()
    problem = problems.load(reference)
    right = find_accepted(judge, problem)
    if (reason := why_not(problem, len(right), unvalidated=budget.unvalidated)) is not None:
        raise ProblemError(f"problem {problem.name}: no random inputs can be tried: {reason}")
    with tempfile.TemporaryDirectory(prefix="judge-stress-") as name:
        comparer = Comparer(judge=judge, problem=problem, directory=Path(name), accepted=right)
        candidate = replace(candidate, problem=problem)
        _compile(judge, problem, Path(name), candidate)
        source = Inputs(judge, problem, comparer.directory, budget.seed, [*right, candidate])
        found, compared = _search(comparer, source, candidate, budget, began, tell)
        small = found
        if found is not None:
            tell("making the difference small", compared, budget.inputs)
            ends = time.monotonic() + budget.seconds
            small = comparer.shrunk(found, candidate, lambda: time.monotonic() > ends, source.plausible)
        return Stressed(
            problem=problem,
            difference=small,
            found_bytes=None if found is None else len(found.input),
            inputs=compared,
            disputed=comparer.disputed,
            unvalidated=not problem.input_validators,
            wall_ns=int((time.monotonic() - began) * 1e9),
        )


def _compile(judge: Judge, problem: Problem, directory: Path, candidate: Submission) -> None:
    """
    Raises:
        ConfigError: the candidate does not compile.
        ProblemError: the problem cannot be judged at all.
    """
    one = with_inputs(problem, directory, [(b"", b"")])
    judgement = judge.judge(replace(candidate, problem=one), Options(stop=Stop.FIRST_FAILURE))
    if judgement.verdict is Verdict.CE:
        said = "" if judgement.compile is None else judgement.compile.output.strip()
        raise ConfigError(f"the candidate does not compile: {said[:2000]}")


def _search(
    comparer: Comparer, source: Inputs, candidate: Submission, budget: Budget, began: float, tell: Tell
) -> tuple[Difference | None, int]:
    """The first difference, and how many inputs were compared.

    Raises:
        ProblemError: no valid input can be made.
    """
    compared, count, rounds = 0, _FIRST, 0
    while compared < budget.inputs and time.monotonic() - began < budget.seconds:
        large = rounds == _LARGE_ROUND
        wanted = min(_LARGE if large else count, budget.inputs - compared)
        if large and not comparer.problem.input_validators:  # nobody would say how large an input may be
            new = []
        else:
            new = source.large(wanted) if large else source.more(wanted)
        tests = comparer.answer_inputs(new[:wanted])
        if not tests and not large:
            break
        (found,) = comparer.differences(tests, [candidate])
        compared += len(tests)
        tell("inputs compared", compared, budget.inputs)
        if found is not None:
            return found, compared
        rounds += 1
        count = min(2 * count, _MOST)
    if not compared:
        raise ProblemError(
            f"problem {comparer.problem.name}: no random input is valid, and answered by the accepted submissions; "
            "add small tests to begin with"
        )
    return None, compared
