"""Chooses new tests that kill the mutants which the tests of a problem let live."""

from __future__ import annotations

import shlex
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import problems
from judge.common.models import Options, Stop
from judge.many.pool import Judge
from judge.many.strength.compare import REFUSES_NOTHING, Tell, Test, find_accepted
from judge.many.strength.inputs import find_arguments, homes, keep_agreed, keep_valid, size, talks, with_inputs
from judge.many.strength.measure import Effort, Strength, Survivor, measure, of_mutant
from problems.errors import ProblemError
from problems.model import GeneratedCase, Problem
from problems.strength.commands import Command
from problems.writing.tests import NewTest, add_tests, check_directory


@dataclass(frozen=True, slots=True, kw_only=True)
class Strengthened:
    """What was done for one problem."""

    #: As measured before.
    before: Strength
    tests: tuple[NewTest, ...]
    #: Their names in the package; (): nothing was written.
    names: tuple[str, ...]
    #: Survivors that the new tests kill, and those that they don't.
    killed: int
    left: tuple[Survivor, ...]

    @property
    def rate(self) -> float | None:
        """The share of the wrong mutants that the tests kill now; None: no mutant is known to be wrong."""
        wrong = self.before.killed + len(self.before.survivors)
        return (self.before.killed + self.killed) / wrong if wrong else None


def strengthen(
    judge: Judge,
    reference: str | Path,
    effort: Effort | None = None,
    tell: Tell = lambda what, done, all_: None,
    *,
    dry_run: bool = False,
) -> Strengthened:
    """Measure a problem, and add the fewest small inputs found that kill the survivors, with their answers, as tests.

    Raises:
        ProblemError: it cannot be measured, or its package cannot be written; then nothing is changed.
    """
    if not dry_run:
        check_directory(reference)  # before it is measured, not after
    before = measure(judge, reference, effort, tell)
    problem = problems.load(reference)
    if not before.survivors:
        return Strengthened(before=before, tests=(), names=(), killed=0, left=())
    if talks(problem) and any(case.read_answer().strip() for case in problem.cases):
        return Strengthened(before=before, tests=(), names=(), killed=0, left=before.survivors)
    chosen = cover(_kills(judge, problem, before.survivors))
    makers = {one.difference.input: one.command for one in before.survivors if one.difference is not None}
    tests = tuple(
        _record_recipe(
            judge,
            problem,
            NewTest(stem=before.survivors[min(killed)].mutant.operator, input=given, answer=answer),
            makers[given],
        )
        for (given, answer), killed in chosen
    )
    names = () if dry_run else _write_tests(judge, reference, problem, tests)
    killed = frozenset[int]().union(*(killed for _, killed in chosen))
    return Strengthened(
        before=before,
        tests=tests,
        names=names,
        killed=len(killed),
        left=tuple(one for index, one in enumerate(before.survivors) if index not in killed),
    )


def _kills(judge: Judge, problem: Problem, survivors: Sequence[Survivor]) -> dict[Test, frozenset[int]]:
    """Which survivors each of their inputs kills."""
    tests = sorted(
        {(one.difference.input, one.difference.answer) for one in survivors if one.difference is not None},
        key=lambda test: size(test[0]),
    )
    found: dict[Test, set[int]] = defaultdict(set)
    with tempfile.TemporaryDirectory(prefix="judge-strength-") as name:
        directory = Path(name)
        asked = with_inputs(problem, directory, tests)
        rows = [replace(of_mutant(problem, one.mutant), problem=asked, id=str(at)) for at, one in enumerate(survivors)]
        for judgement in judge.judge_many(rows, Options(stop=Stop.NEVER)):
            for test, result in zip(tests, judgement.tests, strict=False):
                if result.verdict not in REFUSES_NOTHING:
                    found[test].add(int(judgement.id or 0))
    return {test: frozenset(killed) for test, killed in found.items()}


def cover(kills: dict[Test, frozenset[int]]) -> list[tuple[Test, frozenset[int]]]:
    """A few tests that kill all: time and again the one that kills most of what is left, the smallest of equals. Each
    comes with what it kills first. The smallest come first."""
    chosen: list[tuple[Test, frozenset[int]]] = []
    left = frozenset[int]().union(*kills.values())
    while left:
        test = min(kills, key=lambda test: (-len(kills[test] & left), size(test[0])))
        chosen.append((test, kills[test] & left))
        left -= kills[test]
    return sorted(chosen, key=lambda one: size(one[0][0]))


def _record_recipe(judge: Judge, problem: Problem, test: NewTest, command: Command | None) -> NewTest:
    """The test with the recipe that makes it again. As it is: no generator printed it, or not a second time."""
    if command is None or problem.solution is None:
        return test
    generator, arguments = command
    case = GeneratedCase(name="secret/new", group="secret", generator=generator, arguments=arguments)
    with tempfile.TemporaryDirectory(prefix="judge-strength-") as name:
        alone = replace(with_inputs(problem, Path(name), []), generated=(case,), solution=problem.solution)
        try:
            with judge.build_tests(alone) as built:
                (made,) = built.cases
                given, answer = made.read_input(), made.read_answer()
        except ProblemError:
            return test
    recipe = shlex.join((generator.name, *arguments))
    return replace(test, answer=answer, recipe=recipe) if given == test.input else test


def _write_tests(judge: Judge, reference: str | Path, problem: Problem, tests: Sequence[NewTest]) -> tuple[str, ...]:
    """The names of the tests, after validators and accepted submissions have seen them once more.

    Raises:
        ProblemError: they refuse one of them, which a validator or program does that depends on chance.
    """
    wanted = [(test.input, test.answer) for test in tests]
    with tempfile.TemporaryDirectory(prefix="judge-strength-") as name:
        directory = Path(name)
        valid = keep_valid(judge, problem, directory, [given for given, _ in wanted])
        sure = keep_agreed(judge, problem, directory, wanted, find_accepted(judge, problem))
        places: dict[bytes, tuple[str, ...]] = {}
        if len(find_arguments(problem)) > 1:
            places = homes(judge, problem, directory, [given for given, _ in wanted])
    if len(valid) < len(wanted) or len(sure) < len(wanted):
        raise ProblemError(
            f"problem {problem.name}: a validator or an accepted submission says another thing the second time; "
            "no test was written"
        )
    placed = [replace(test, group=home(problem, places.get(test.input), None)) for test in tests]
    return tuple(add_tests(reference, problem, placed))


def home(problem: Problem, places: Sequence[str] | None, wanted: str | None) -> str | None:
    """Where a test goes that is valid in these groups (None: in any): into the last, or into the one that is wanted.

    Raises:
        ProblemError: it is not valid there.
    """
    if places is None:
        return wanted
    if not places or wanted not in (None, *places):
        there = ", ".join(places) or "none with one set of arguments for its validators"
        raise ProblemError(f"problem {problem.name}: groups in which the new test is valid: {there}; write it by hand")
    return wanted or places[-1]
