"""How long the runs of one judgement may take: what may take longer is refused before it is accepted.

A program that sleeps uses no CPU time, and each of its tests may last for the wall limit. So we add up these limits: of
the submission's runs, and of the checkers, interactors, validators and generators beside them, each run once. Compiles
are not among them, nor are repeats: what ran out of time while it waited for a core runs once more, alone.
"""

from __future__ import annotations

import threading
import time
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
from judge.store.cache import Cache
from judge.store.recent import Recent
from problems.model import SECOND_NS, Checker, Limits, Problem, Program

_KEPT = 1000
#: Seconds for which a problem is not read again: somebody may have changed it.
_KEPT_S = 1.0


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


class Longest:
    """Thread-safe."""

    def __init__(self, most_s: float) -> None:
        self._most_s = most_s
        self._parsed = Cache()
        self._lock = threading.Lock()
        self._known = Recent[tuple[float, Lengths]](_KEPT)

    def check(self, problem: str | Path | Problem, language: str, options: Options) -> int:
        """How long a judgement may last, in ns.

        Raises:
            TooLong: a judgement may last longer than this server allows.
            ProblemError: the problem cannot be read.
        """
        lengths = Lengths.of(problem) if isinstance(problem, Problem) else self._lengths(problem)
        longest_ns = lengths.longest_ns(language, options)
        if longest_ns > self._most_s * SECOND_NS:
            raise TooLong(longest_ns, self._most_s)
        return longest_ns

    def _lengths(self, problem: str | Path) -> Lengths:
        with self._lock:
            known = self._known.get(problem)
        if known is not None and time.monotonic() < known[0] + _KEPT_S:
            return known[1]
        read_s = time.monotonic()
        found = Lengths.of(problems.load(problem, store=self._parsed))
        with self._lock:
            self._known.put(problem, (read_s, found))
        return found


def _wall_ns(program: Checker | Program | None) -> int:
    return run_limits(program).wall_ns if isinstance(program, Program) else 0
