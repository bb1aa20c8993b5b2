"""What the server itself has to know of problems: the names of their samples, and how long a judgement may last. What
may last longer than the server allows is refused before it is accepted.

A program that sleeps uses no CPU time, and each of its tests may last for the wall limit. So we add up these limits: of
the submission's runs, and of the checkers, interactors, validators and generators beside them, each run once. Compiles
are not among them, nor are repeats: what ran out of time while it waited for a core runs once more, alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import problems
from judge import languages
from judge.checkers.program import run_limits
from judge.common.models import Options
from judge.judging.efficiency import MOST_RUNS
from judge.judging.generated import GENERATOR_LIMITS, MOST_SET_NS
from judge.judging.limits import limits_of
from judge.server.guarding.limits import Refused
from judge.server.storing.shown import encode_names
from judge.store.cache import Cache
from judge.store.recent import Fresh
from problems.errors import ProblemError
from problems.model import SECOND_NS, Checker, Limits, Problem, Program

#: Seconds for which a problem is not read again: somebody may have changed it. And how many are remembered.
KEPT_S, KEPT = 1.0, 1000


class TooLong(Refused):
    """422: it can never be taken."""

    def __init__(self, longest_ns: int, most_s: float) -> None:
        super().__init__(
            f"one judgement may take {longest_ns / SECOND_NS:.0f} s: so much do the wall limits of all its tests, with "
            f"those of checkers and generators, add up to. This server allows {most_s:g} s: lower the limits, or have "
            "fewer tests",
            None,
        )
        self.status = 422


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """What the longest judgement on a problem is made of."""

    #: How many runs of the submission have these limits.
    runs: Mapping[Limits, int]
    #: Wall limit of who talks to the submission, without what it waits for that; None: nobody does.
    talk_ns: int | None
    #: The longest wall limit of a checker.
    check_ns: int
    #: Wall limits of all else together.
    others_ns: int

    @staticmethod
    def of(problem: Problem) -> Lengths:
        made = len(problem.generated)
        runs = Counter(case.limits or problem.limits for case in problem.cases)
        runs[problem.limits] += made
        checkers = Counter(case.checker or problem.checker for case in problem.cases)
        checkers[problem.checker] += made
        checking_ns = sum(count * _wall_ns(checker) for checker, count in checkers.items())
        once_ns = len(problem.static_cases) * _wall_ns(problem.static_validator)
        once_ns += sum(_wall_ns(group.grader) for group in problem.groups)
        once_ns += min(2 * made * GENERATOR_LIMITS.wall_ns, MOST_SET_NS)  # each input, and each answer
        talks = problem.interactor or (problem.manager.program if problem.manager else None)
        return Lengths(
            runs={limits: count * problem.passes for limits, count in runs.items()},
            talk_ns=None if talks is None else _wall_ns(talks),
            check_ns=max(map(_wall_ns, checkers)),
            others_ns=problem.passes * checking_ns + once_ns,
        )

    def longest_ns(self, language: str, options: Options) -> int:
        found, total_ns = languages.get(language), self.others_ns
        for limits, count in self.runs.items():
            own_ns = limits_of(limits, found, options).wall_ns
            total_ns += count * (own_ns if self.talk_ns is None else self.talk_ns + 2 * own_ns)  # as `Interactor.run`
        if options.efficiency:
            longest_ns = max(limits_of(limits, found, options).wall_ns for limits in self.runs)
            total_ns += MOST_RUNS * (longest_ns + self.check_ns)
        return total_ns


class ProblemFacts:
    """Reads each problem once a second. Thread-safe."""

    def __init__(self, most_s: float) -> None:
        """`most_s`: how long one judgement may last."""
        self._most_s = most_s
        self._parsed = Cache()
        self._read = Fresh(self._read_anew, KEPT_S, KEPT)
        #: By the problem, the language and the options.
        self._longest_ns = Fresh(self._count_longest, KEPT_S, KEPT)

    def check_length(self, problem: str | Path | Problem, language: str, options: Options) -> int:
        """How long a judgement may last, in ns.

        Raises:
            TooLong: a judgement may last longer than this server allows.
            ProblemError: the problem cannot be read.
        """
        if isinstance(problem, Problem):
            longest_ns = Lengths.of(problem).longest_ns(language, options)
        else:
            longest_ns = self._longest_ns.get((problem, language, options))
        if longest_ns > self._most_s * SECOND_NS:
            raise TooLong(longest_ns, self._most_s)
        return longest_ns

    def read_samples(self, problem: str | Path) -> str:
        """The names of its sample tests, as `storing.shown` reads them: none of a problem that cannot be read."""
        try:
            return self._read.get(problem)[0]
        except ProblemError:
            return encode_names(())

    def _read_anew(self, name: str | Path) -> tuple[str, Lengths]:
        problem = problems.load(name, store=self._parsed)
        return encode_names(case.name for case in problem.cases if case.sample), Lengths.of(problem)

    def _count_longest(self, asked: tuple[str | Path, str, Options]) -> int:
        problem, language, options = asked
        return self._read.get(problem)[1].longest_ns(language, options)


def _wall_ns(program: Checker | Program | None) -> int:
    return run_limits(program).wall_ns if isinstance(program, Program) else 0
