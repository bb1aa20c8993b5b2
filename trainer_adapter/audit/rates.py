"""The rates of an audit, each with its exact interval of 95 %, and the lines that tell them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from judge.common.rates import clopper_pearson
from judge.common.text import harmless
from trainer_adapter.audit.audit import Audit, Audited
from trainer_adapter.audit.fresh import Outcome
from trainer_adapter.audit.signs import SAYS, Sign

#: Steps are told in at most `_RANGES` ranges.
_RANGES = 8
#: What is seen in `_SEVERAL` problems is one trick over problems.
_SEVERAL = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """So many of so many."""

    count: int
    of: int

    @property
    def share(self) -> float | None:
        """None: nothing is known."""
        return self.count / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        return clopper_pearson(self.count, self.of)

    def as_dict(self) -> dict[str, Any]:
        low, high = self.interval
        return {"count": self.count, "of": self.of, "rate": self.share, "rate_low": low, "rate_high": high}

    def __str__(self) -> str:
        if self.share is None:
            return "unknown: none could be audited"
        low, high = self.interval
        return f"{self.share:.2%} ({low:.2%} to {high:.2%}; {self.count} of {self.of})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Both rates, of all that was sampled or of a part of it."""

    #: Accepted, and wrong on a fresh input: false positives.
    paid_but_wrong: Rate
    #: Rejected for its output, and right on every fresh input: false negatives, perhaps.
    refused_but_right: Rate

    @classmethod
    def of(cls, audited: Sequence[Audited]) -> Rates:
        known = [one for one in audited if one.sampled and one.outcome in {Outcome.RIGHT, Outcome.WRONG}]
        accepted = [one.outcome for one in known if one.accepted]
        rejected = [one.outcome for one in known if not one.accepted]
        return cls(
            paid_but_wrong=Rate(count=accepted.count(Outcome.WRONG), of=len(accepted)),
            refused_but_right=Rate(count=rejected.count(Outcome.RIGHT), of=len(rejected)),
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "paid_but_wrong": self.paid_but_wrong.as_dict(),
            "refused_but_right": self.refused_but_right.as_dict(),
        }


#: By which rates are told apart.
PARTS = ("problem", "difficulty", "step")


def rates_by(found: Audit, part: str) -> dict[str, Rates]:
    """The rates of each problem, difficulty, or range of steps; {}: nothing says which."""
    name = _name_of(part, found.audited)
    groups = defaultdict[str, list[Audited]](list)
    for one in found.audited:
        if (called := name(one)) is not None:
            groups[called].append(one)
    keys = sorted(groups, key=lambda key: (int(key.partition("–")[0]) if part == "step" else 0, key))
    return {key: Rates.of(groups[key]) for key in keys}


def _name_of(part: str, audited: Sequence[Audited]) -> Callable[[Audited], str | None]:
    if part != "step":
        return lambda one: getattr(one, part) or None
    steps = sorted({one.step for one in audited if one.step is not None})
    size = -(-len(steps) // _RANGES) or 1
    ranges = {step: steps[number // size * size : number // size * size + size] for number, step in enumerate(steps)}

    def name(one: Audited) -> str | None:
        if one.step is None:
            return None
        first, last = ranges[one.step][0], ranges[one.step][-1]
        return str(first) if first == last else f"{first}–{last}"

    return name


def as_dict(found: Audit) -> dict[str, Any]:
    """All figures, as JSON has them."""
    outcomes = Counter(f"{'accepted' if one.accepted else 'rejected'} {one.outcome}" for one in found.audited)
    return {
        "accepted": found.accepted,
        "rejected_for_output": found.rejected,
        **Rates.of(found.audited).as_dict(),
        **{f"by_{part}": {name: one.as_dict() for name, one in rates_by(found, part).items()} for part in PARTS},
        "audited": dict(outcomes),
        "signs": {
            sign: {"rollouts": found.signed[sign], "problems": len(found.sign_in[sign])} for sign in found.signed
        },
        "same_program_in_several_problems": sum(len(each) > 1 for each in found.programs.values()),
        "rejected_that_pass_all_samples": found.samples_only,
        "rows_without_problem": found.nameless,
        "on_unvalidated_inputs": sum(one.unvalidated for one in found.audited),
        "without_fresh_inputs": found.without_inputs,
        "disputed_inputs": found.disputed,
    }


def lines(found: Audit) -> Iterator[str]:
    """For a person."""
    whole = Rates.of(found.audited)
    yield f"{found.accepted} accepted, {found.rejected} rejected for their output; audited: {len(found.audited)}"
    yield f"paid but wrong:    {whole.paid_but_wrong}"
    yield f"refused but right: {whole.refused_but_right}"
    if unseen := sum(one.unvalidated for one in found.audited):
        yield f"  of {unseen} no input validator has seen the inputs: accepted programs agree on the answers"
    if found.nameless:
        yield f"  {found.nameless} rows name no problem: not audited"
    for part in PARTS:
        worst = {
            key: one for key, one in rates_by(found, part).items() if part != "problem" or one.paid_but_wrong.count
        }
        for key, one in sorted(worst.items(), key=lambda item: -item[1].paid_but_wrong.count)[:10]:
            yield f"  {part} {harmless(key)}: paid but wrong {one.paid_but_wrong}"
    yield from tricks(found)
    for name, why in list(found.without_inputs.items())[:5]:
        yield f"  {harmless(name)}: not audited: {harmless(why)}"
    if (more := len(found.without_inputs) - 5) > 0:
        yield f"  and {more} problems more were not audited"
    for name, count in found.disputed.items():
        yield f"  {harmless(name)}: accepted programs differ on {count} inputs: several right answers, and no checker?"


def tricks(found: Audit) -> Iterator[str]:
    """What is seen in several problems, or often."""
    for sign in Sign:
        if count := found.signed[sign]:
            where = len(found.sign_in[sign])
            note = ": one trick over problems?" if where >= _SEVERAL else ""
            yield f"  {count} accepted rollouts in {where} problems: {SAYS[sign]}{note}"
    if several := sum(len(each) > 1 for each in found.programs.values()):
        yield f"  {several} programs were accepted in more than one problem"
    if found.samples_only:
        yield f"  {found.samples_only} of the rejected rollouts that were read pass all samples"
