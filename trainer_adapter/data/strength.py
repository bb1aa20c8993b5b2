"""Samples a data set, and measures of how many of its problems the tests accept a program that is wrong.

Wrong programs are mutants of a row's own reference solutions, and those that the row says are wrong. A mutant that
passes is known to be wrong only where an input tells it apart: one that the package's validator accepts or, where there
is none, on which at least two reference solutions agree.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from judge import Judge
from judge.common.models import Submission
from judge.common.rates import wilson
from judge.many.strength.measure import Effort, Strength, measure, measure_with
from problems import ProblemError
from trainer_adapter.data.build import examples
from trainer_adapter.data.candidate import Example
from trainer_adapter.data.config import DataConfig, References
from trainer_adapter.data.inline_problems import InlineProblems
from trainer_adapter.data.references import RIGHT, WRONG, programs
from trainer_adapter.data.report import Report

_MOST_RIGHT, _MOST_WRONG, _EXAMPLES = 4, 20, 5
_EFFORT = Effort(mutants=24, inputs=60, unvalidated=True)
_ALONE = "mutants pass, and one reference solution alone cannot say whether they are wrong"
_UNTOLD = "mutants pass, and no random input says whether they are wrong"


@dataclass(slots=True, kw_only=True)
class DataStrength:
    """What was found in a sample."""

    sampled: int = 0
    #: Problems that could be measured, and those that accept a wrong program.
    measured: int = 0
    weak: int = 0
    #: Problems of which it is not known whether they are weak: mutants pass that may be right.
    undecided: int = 0
    mutants: int = 0
    killed: int = 0
    #: Why the others could not be measured.
    unmeasured: Counter[str] = field(default_factory=Counter)
    #: Of weak problems: the name, and what passes.
    examples: list[dict[str, Any]] = field(default_factory=list)
    wall_s: float = 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Of the share of weak problems, 95 %: its ends allow for none, and for all, of the undecided to be weak."""
        known = self.measured + self.undecided
        return wilson(self.weak, known)[0], wilson(self.weak + self.undecided, known)[1]

    def as_dict(self) -> dict[str, Any]:
        low, high = self.interval
        return {
            "sampled": self.sampled,
            "measured": self.measured,
            "weak": self.weak,
            "undecided": self.undecided,
            "share": self.weak / self.measured if self.measured else None,
            "share_low": low,
            "share_high": high,
            "mutants": self.mutants,
            "killed": self.killed,
            "unmeasured": dict(self.unmeasured.most_common()),
            "examples": self.examples,
            "wall_s": round(self.wall_s, 1),
        }

    def lines(self) -> Iterator[str]:
        yield f"strength: {self.measured} of {self.sampled} sampled problems measured in {self.wall_s:.0f} s"
        for why, count in self.unmeasured.most_common():
            yield f"  {count:>7}  not measured: {why}"
        if not self.measured:
            yield "  nothing can be said: no sampled problem has reference solutions that could be used"
            return
        low, high = self.interval
        others = f", whatever the {self.undecided} are of which it is not known" if self.undecided else ""
        yield (
            f"  {self.weak} of {self.measured} problems accept a program that is wrong: "
            f"{self.weak / self.measured:.0%} ({low:.0%} to {high:.0%}{others})"
        )
        yield f"  {self.killed} of {self.mutants} mutants were refused"
        for one in self.examples:
            yield f"  {one['problem']}: {one['what']}"
            yield from (f"      {line}" for line in one["text"].splitlines()[:12])


def strength(
    config: DataConfig, count: int, seed: int, judge: Judge, tell: Callable[[int, int], None] = lambda done, all_: None
) -> DataStrength:
    """Measure a sample of so many problems; the same seed takes the same ones.

    Raises:
        DataError, ProblemError: the source cannot be read.
    """
    began, found = time.monotonic(), DataStrength()
    rows = examples(
        config.model_copy(update={"store": None, "references": References.IGNORE}),
        Report(source=config.source),
        also=(*RIGHT, *WRONG),
    )
    sampled = _sample(rows, count, seed)
    inline = InlineProblems()
    try:
        for number, example in enumerate(sampled, 1):
            found.sampled += 1
            _add(found, judge, inline, example)
            tell(number, len(sampled))
    finally:
        inline.close()
    found.wall_s = time.monotonic() - began
    return found


def _sample(found: Iterator[Example], count: int, seed: int) -> list[Example]:
    """A fair sample in one pass, in the order of the data set."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    kept: dict[int, Example] = {}
    for number, example in enumerate(found):
        if number < count:
            kept[number] = example
        elif (place := chance.randrange(number + 1)) < count:
            del kept[sorted(kept)[place]]
            kept[number] = example
    return [kept[number] for number in sorted(kept)]


def _add(found: DataStrength, judge: Judge, inline: InlineProblems, example: Example) -> None:
    try:
        measured = _measure(judge, inline, example)
    except ProblemError as error:
        refused = "is not accepted" in str(error)
        found.unmeasured["the tests refuse its reference solution" if refused else str(error)[:200]] += 1
        return
    if isinstance(measured, str):
        found.unmeasured[measured] += 1
        return
    weak = bool(measured.survivors) or measured.wrong.accepted > 0
    if not weak and measured.alike and measured.uncompared:
        found.undecided += 1
        found.unmeasured[_ALONE if measured.right.judged < 2 else _UNTOLD] += 1
        return
    found.measured += 1
    found.weak += weak
    found.mutants += measured.killed + len(measured.survivors)
    found.killed += measured.killed
    if weak and len(found.examples) < _EXAMPLES:
        found.examples.append(_example(example.problem_id, measured))


def _measure(judge: Judge, inline: InlineProblems, example: Example) -> Strength | str:
    """What was measured, or why nothing can be.

    Raises:
        ProblemError: the problem cannot be judged, or refuses its reference solution.
    """
    if example.answer is not None:
        return "it asks for no program"
    if example.tests is None:
        return measure(judge, example.problem_id, _EFFORT)
    right = programs(example.kept, RIGHT, _MOST_RIGHT)
    if not right:
        return "the row has no reference solution"
    name = f"strength-{id(example)}"
    problem = inline.take(name, example.tests)
    try:
        labelled = [
            (
                frozenset(verdicts),
                Submission(
                    source=code.encode("utf-8", "replace"), problem=problem, language=language, id=f"{kind}-{number}"
                ),
            )
            for kind, verdicts, all_ in (
                ("reference", {"AC"}, right),
                ("wrong", {"WA"}, programs(example.kept, WRONG, _MOST_WRONG)),
            )
            for number, (language, code) in enumerate(all_, 1)
        ]
        return measure_with(judge, problem, labelled, _EFFORT)
    finally:
        inline.give_back(name)


def _example(name: str, measured: Strength) -> dict[str, Any]:
    if not measured.survivors:
        what = f"{measured.wrong.accepted} of {measured.wrong.judged} programs that the row calls wrong are accepted"
        return {"problem": name, "what": what, "text": ""}
    one = measured.survivors[0]
    given = "" if one.difference is None else one.difference.input[:200].decode("utf-8", "replace")
    what = f"{one.mutant.operator} in {one.mutant.origin}, line {one.mutant.line}, passes all tests and is wrong on"
    return {"problem": name, "what": what, "text": given + "\n" + "\n".join(one.mutant.diff.splitlines()[2:])}
