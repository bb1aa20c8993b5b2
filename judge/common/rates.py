"""Rates of few trials, with the interval that says how far to trust them."""

from __future__ import annotations

from math import exp, lgamma, log, sqrt
from statistics import NormalDist


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a rate (Wilson 1927): it is true near 0 and 1, where the usual one is not.

    Without trials nothing is known: (0, 1).
    """
    if trials == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate = successes / trials
    middle = rate + z * z / (2 * trials)
    half = z * sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


#: Halvings of [0, 1]: as many as a double tells apart.
_HALVINGS = 60


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact interval of a rate (Clopper and Pearson 1934): it holds the rate at least as often as it says.

    Without trials nothing is known: (0, 1).
    """
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else _find_rate(successes, trials, tail)
    high = 1.0 if successes == trials else 1 - _find_rate(trials - successes, trials, tail)
    return low, high


def _find_rate(least: int, trials: int, chance: float) -> float:
    """The rate by which `least` or more of the trials succeed with this chance."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _chance_of(least, trials, middle) < chance else (low, middle)
    return low


def _chance_of(least: int, trials: int, rate: float) -> float:
    """The chance that `least` or more of the trials succeed."""
    if not 0 < rate < 1:
        return float(rate >= 1)
    return sum(
        exp(
            lgamma(trials + 1)
            - lgamma(count + 1)
            - lgamma(trials - count + 1)
            + count * log(rate)
            + (trials - count) * log(1 - rate)
        )
        for count in range(least, trials + 1)
    )
