"""Evaluates judged rollouts: pass@k with intervals, by difficulty and tag; compares two runs on the same problems."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from judge.common.errors import ConfigError
from judge.common.rates import clopper_pearson
from judge.common.shown import bar, counts, table
from trainer_adapter.rollouts.row import Rollout

try:
    import numpy as np
except ImportError as error:
    raise ConfigError("an evaluation needs numpy: pip install numpy") from error

#: Resamples of the problems, and flips of signs.
_RESAMPLES = 2_000
_LEVEL = 0.95


def pass_at_k(samples: int, accepted: int, k: int) -> float:
    """The probability that of k samples at least one is accepted: unbiased (Chen et al. 2021, section 2.1).

    1 - C(n - c, k) / C(n, k), as a product, which neither overflows nor cancels.

    Raises:
        ValueError: k samples were not made, or more are accepted than were made.
    """
    if not 0 < k <= samples or not 0 <= accepted <= samples:
        raise ValueError(f"pass@{k} of {accepted} accepted among {samples} samples has no meaning")
    if samples - accepted < k:
        return 1.0
    failing = 1.0
    for drawn in range(k):
        failing *= (samples - accepted - drawn) / (samples - drawn)
    return 1.0 - failing


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A mean over problems, with its interval of 95 %."""

    mean: float
    low: float
    high: float
    problems: int

    def as_dict(self) -> dict[str, Any]:
        return {"mean": self.mean, "low": self.low, "high": self.high, "problems": self.problems}

    def __str__(self) -> str:
        return f"{self.mean:.1%} ({self.low:.1%} to {self.high:.1%})"


@dataclass(slots=True)
class Tally:
    """What became of one problem's samples. Those that could not be judged are counted apart, and nowhere as wrong."""

    judged: int = 0
    accepted: int = 0
    not_judged: int = 0
    difficulty: str = ""
    tags: tuple[str, ...] = ()

    def passes(self, k: int) -> float | None:
        """pass@k; None: fewer were judged."""
        return pass_at_k(self.judged, self.accepted, k) if self.judged >= k else None


@dataclass(slots=True)
class Evaluation:
    """A file of rollouts, counted."""

    problems: dict[str, Tally] = field(default_factory=dict)
    verdicts: Counter[str] = field(default_factory=Counter)
    rollouts: int = 0
    not_judged: int = 0
    truncated: int = 0

    def add(self, rollout: Rollout) -> None:
        if not rollout.problem:  # a line that `judge batch` could not read
            self.rollouts += 1
            self.not_judged += 1
            return
        tally = self.problems.setdefault(rollout.problem, Tally(difficulty=rollout.difficulty, tags=rollout.tags))
        self.rollouts += 1
        self.truncated += rollout.truncated
        if rollout.verdict is None or not rollout.judged:
            tally.not_judged += 1
            self.not_judged += 1
            return
        tally.judged += 1
        tally.accepted += rollout.accepted
        self.verdicts[rollout.verdict] += 1

    def rate(self, k: int, among: Iterable[Tally] | None = None) -> Rate | None:
        """pass@k, each problem with the same weight; None: no problem has k samples that were judged."""
        found = [tally.passes(k) for tally in (self.problems.values() if among is None else among)]
        return _rate([value for value in found if value is not None])

    def groups(self) -> Mapping[str, Sequence[Tally]]:
        """Problems by difficulty and by tag, in the order of the names."""
        found = defaultdict[str, list[Tally]](list)
        for tally in self.problems.values():
            if tally.difficulty:
                found[f"difficulty {tally.difficulty}"].append(tally)
            for tag in tally.tags:
                found[f"tag {tag}"].append(tally)
        return dict(sorted(found.items()))

    def most_k(self) -> int:
        """The largest k for which every problem that was judged at all has a pass@k."""
        return min((tally.judged for tally in self.problems.values() if tally.judged), default=0)

    def _repr_html_(self) -> str:
        """What a notebook shows: pass@k with its interval of 95 %, and the verdicts."""
        rows = []
        for k in sorted({1, self.most_k()} - {0}):
            if (rate := self.rate(k)) is not None:
                rows.append((f"pass@{k}", f"{rate.mean:.1%}", f"{rate.low:.1%} to {rate.high:.1%}", bar(rate.mean)))
        said = f"{len(self.problems)} problems, {self.rollouts} rollouts, {self.not_judged} not judged"
        rates = table(("", "estimate", "95 %", ""), rows, frozenset({1}))
        return f"<div><div>{said}</div>{rates}{counts(self.verdicts)}</div>"

    def as_dict(self, ks: Sequence[int]) -> dict[str, Any]:
        def rates(among: Iterable[Tally] | None = None) -> dict[str, Any]:
            found = {f"pass@{k}": self.rate(k, among) for k in ks}
            return {name: rate.as_dict() for name, rate in found.items() if rate is not None}

        return {
            "problems": len(self.problems),
            "rollouts": self.rollouts,
            "not_judged": self.not_judged,
            "truncated": self.truncated,
            "verdicts": dict(self.verdicts.most_common()),
            **rates(),
            "groups": {name: {"problems": len(among), **rates(among)} for name, among in self.groups().items()},
        }


def evaluate(rollouts: Iterable[Rollout]) -> Evaluation:
    """
    Raises:
        ConfigError: an id stands twice: a file that was joined with itself would look twice as sure.
    """
    found, seen = Evaluation(), set[str]()
    for rollout in rollouts:
        if rollout.id in seen:
            raise ConfigError(f"rollout {rollout.id!r} stands there twice: make ids unique")
        if rollout.id is not None:
            seen.add(rollout.id)
        found.add(rollout)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How much better the first run is than the second, on the problems that both have."""

    difference: Rate
    #: Of a difference at least so large, either way, if the runs were equal: signs of the problems' differences are
    #: flipped at random, or all of them where there are few.
    p_value: float
    better: int
    worse: int
    #: Problems that only one of them has.
    left_out: int

    def as_dict(self) -> dict[str, Any]:
        counts = {"better": self.better, "worse": self.worse, "left_out": self.left_out}
        return {"difference": self.difference.as_dict(), "p_value": self.p_value, **counts}


def compare(first: Evaluation, second: Evaluation, k: int) -> Comparison:
    """
    Raises:
        ConfigError: they have no problem in common.
    """
    both = [name for name in first.problems if name in second.problems]
    pairs = [(first.problems[name].passes(k), second.problems[name].passes(k)) for name in both]
    differences = [one - other for one, other in pairs if one is not None and other is not None]
    rate = _rate(differences, differences=True)
    if rate is None:
        raise ConfigError(f"the two have no problem in common of which {k} samples each were judged")
    return Comparison(
        difference=rate,
        p_value=_p_value(differences),
        better=sum(value > 0 for value in differences),
        worse=sum(value < 0 for value in differences),
        left_out=len(first.problems.keys() | second.problems.keys()) - len(differences),
    )


def _rate(values: Sequence[float], *, differences: bool = False) -> Rate | None:
    """The interval comes from resampling the problems: what another choice of problems would have given. `differences`:
    of two runs, so that 0 is no end of what is possible."""
    if not values:
        return None
    dice, data = np.random.default_rng(0), np.asarray(values)
    means = [data[dice.integers(len(data), size=len(data))].mean() for _ in range(_RESAMPLES)]
    low, high = map(float, np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2]))
    if len(set(values)) == 1:
        low, high = _bounds_of_equals(values[0], len(values), -1 if differences else 0)
    return Rate(mean=fmean(values), low=low, high=high, problems=len(values))


def _bounds_of_equals(value: float, problems: int, least: float) -> tuple[float, float]:
    """Of problems that all have one value every resample is the same. But a share of all problems, as large as it may
    be if none of so many is of it (Clopper and Pearson, 1934), may have any other value from `least` to 1. Of problems
    that are all solved, or none, this is the exact interval of a proportion."""
    unseen = clopper_pearson(0, problems, _LEVEL)[1]
    return value - unseen * (value - least), value + unseen * (1 - value)


def _p_value(differences: Sequence[float]) -> float:
    moved = np.asarray([value for value in differences if value])
    if not len(moved):
        return 1.0
    seen = abs(moved.sum()) - 1e-12
    if len(moved) <= 16:
        signs = 1 - 2 * ((np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1)
        return float((abs(signs @ moved) >= seen).mean())
    dice, hits = np.random.default_rng(0), 0
    for _ in range(_RESAMPLES):
        hits += int(abs(dice.choice((-1, 1), size=len(moved)) @ moved) >= seen)
    return (hits + 1) / (_RESAMPLES + 1)
