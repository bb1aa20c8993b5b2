"""Fresh inputs of a problem, with answers, on which programs are compared.

Answers come from the package's accepted submissions. Where it has none, or too few for inputs that no validator sees,
they come from accepted rollouts: several programs that differ, of which most write the same.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from judge.common.models import Submission, Verdict
from judge.many.pool import Judge
from judge.many.strength.compare import Comparer, Difference, Test, find_accepted
from judge.many.strength.inputs import AGREEING, Inputs, answer_inputs, size, why_not
from problems.errors import ProblemError
from problems.model import Comparison, Problem

#: `PANEL` accepted rollouts are asked for answers, and `_LEAST` must agree.
PANEL, _LEAST = 7, 3
#: Who agrees with the others on this share of the inputs is believed.
_AGREES = 0.9
#: A program that the tests refuse, and the fresh inputs do not, is tried on so many times as many as are asked for.
_MORE = 10
#: Of inputs of at most `_TINY_BYTES` bytes `_TINY_TIMES` times as many: each tells little, and costs little.
_TINY_BYTES, _TINY_TIMES = 32, 4

_LIMITS = frozenset({Verdict.TLE, Verdict.MLE, Verdict.OLE})


class NoFreshInputs(Exception):
    """There are none; it says why."""


class Outcome(StrEnum):
    """What fresh inputs say of a program."""

    RIGHT = "right"
    WRONG = "wrong"
    #: Over a limit on a fresh input, which may be larger than the tests: neither right nor wrong.
    LIMIT = "limit"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What they say of one program."""

    outcome: Outcome
    #: Where it is wrong, or over a limit.
    difference: Difference | None = None


@dataclass(slots=True, kw_only=True)
class FreshInputs:
    tests: list[Test]
    #: Whether an input validator has accepted them.
    validated: bool
    #: How many were asked for.
    count: int
    _comparer: Comparer
    _source: Inputs

    def compare(self, programs: Sequence[Submission]) -> list[Said]:
        """What they say of each program.

        Raises:
            ProblemError: the problem cannot be judged.
        """
        return self._compare(self.tests, programs)

    def compare_more(self, programs: Sequence[Submission]) -> list[Said]:
        """`compare`, on several times as many other inputs."""
        more = self._source.more(_MORE * self.count) if programs else []
        return self._compare(self._comparer.answer_inputs(more), programs)

    def _compare(self, tests: Sequence[Test], programs: Sequence[Submission]) -> list[Said]:
        found = self._comparer.differences(tests, programs)
        return [self._say(index, one) for index, one in enumerate(found)]

    def _say(self, index: int, difference: Difference | None) -> Said:
        if difference is not None:
            limit = difference.result.verdict in _LIMITS
            return Said(outcome=Outcome.LIMIT if limit else Outcome.WRONG, difference=difference)
        return Said(outcome=Outcome.UNKNOWN if index in self._comparer.unjudged else Outcome.RIGHT)

    @property
    def disputed(self) -> int:
        """Inputs on which those who answered differ: there may be several right answers, and no checker."""
        return self._comparer.disputed


@contextmanager
def fresh_inputs(
    judge: Judge, problem: Problem, panel: Sequence[Submission], count: int, seed: int
) -> Iterator[FreshInputs]:
    """About so many. `panel`: accepted rollouts that may be asked, of different programs.

    Raises:
        NoFreshInputs, ProblemError: there are none.
    """
    with tempfile.TemporaryDirectory(prefix="judge-audit-") as name:
        directory = Path(name)
        validated = bool(problem.input_validators)
        source: Inputs | None = None
        accepted: list[Submission] = []
        with suppress(ProblemError):
            accepted = find_accepted(judge, problem)
        if not accepted or (not validated and len(accepted) < AGREEING):
            _check_panel(problem, panel)
            source = Inputs(judge, problem, directory, seed, panel)
            accepted = _agreeing(judge, problem, directory, panel, source.more(count))
        if (reason := why_not(problem, len(accepted), unvalidated=True)) is not None:
            raise NoFreshInputs(reason)
        source = source or Inputs(judge, problem, directory, seed, accepted)
        comparer = Comparer(judge=judge, problem=problem, directory=directory, accepted=accepted)
        tests = comparer.answer_inputs(_choose(source, count))
        if not tests:
            raise NoFreshInputs("no random input is valid, and answered by accepted programs")
        yield FreshInputs(tests=tests, validated=validated, count=count, _comparer=comparer, _source=source)


def _choose(source: Inputs, count: int) -> list[bytes]:
    """So many new ones of twice as many; several times as many where most are tiny."""
    found = source.more(2 * count)
    if found and len(found[len(found) // 2]) <= _TINY_BYTES:
        return (found + source.more(_TINY_TIMES * count - len(found)))[: _TINY_TIMES * count]
    return spread(found, count)


def spread(inputs: Sequence[bytes], count: int) -> list[bytes]:
    """So many that differ most: each adds the most tokens that the ones before do not have in that place. So the
    largest come first: on the smallest ones wrong programs are right."""
    left = {data: _tokens(data) for data in sorted(inputs, key=size, reverse=True)}
    chosen: list[bytes] = []
    seen: set[tuple[int, int, bytes]] = set()
    while left and len(chosen) < count:
        chosen.append(max(left, key=lambda data: len(left[data] - seen)))
        seen |= left.pop(chosen[-1])
    return chosen


def _tokens(data: bytes) -> set[tuple[int, int, bytes]]:
    """Each with its line and its place in it."""
    lines = enumerate(data.split(b"\n"))
    return {(row, column, token) for row, line in lines for column, token in enumerate(line.split())}


def _check_panel(problem: Problem, panel: Sequence[Submission]) -> None:
    if not isinstance(problem.checker, Comparison):
        raise NoFreshInputs("it has a checker of its own, and no accepted submission that answers inputs")
    if len(panel) < _LEAST:
        raise NoFreshInputs(
            f"it has too few accepted submissions, and not {_LEAST} accepted rollouts of different programs"
        )


def _agreeing(
    judge: Judge, problem: Problem, directory: Path, panel: Sequence[Submission], inputs: Sequence[bytes]
) -> list[Submission]:
    """Those of the panel who write what most of it writes, on nearly all inputs."""
    said = [dict(answer_inputs(judge, problem, directory, inputs, one)) for one in panel]
    words = [{data: tuple(answer.split()) for data, answer in one.items()} for one in said]
    usual: dict[bytes, tuple[bytes, ...]] = {}
    for data in inputs:
        counts = Counter(each[data] for each in words if data in each)
        for answer, votes in counts.most_common(1):
            if votes >= _LEAST and votes > len(panel) / 2:
                usual[data] = answer
    if not usual:
        raise NoFreshInputs("its accepted rollouts do not agree on any random input")
    right = [sum(each.get(data) == answer for data, answer in usual.items()) for each in words]
    agreeing = [one for one, count in zip(panel, right, strict=True) if count >= _AGREES * len(usual)]
    if len(agreeing) < _LEAST:
        raise NoFreshInputs(f"not {_LEAST} of its accepted rollouts agree on random inputs")
    return agreeing
