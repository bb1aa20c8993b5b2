"""Figures of stacked bars, as numbers that a template draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judge.common.models import Verdict
from judge.server.observing.metrics import ENDED_WELL

#: From the ground up: what passed, then what failed.
ORDER = ("AC", ENDED_WELL, *(verdict.value for verdict in Verdict if verdict is not Verdict.AC))
HEIGHT, WIDTH = 100, 10
#: A figure has room for at least `LEAST` bars.
LEAST = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    verdict: str
    count: int
    x: int
    y: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    parts: Sequence[Part]
    width: int
    #: The height of the highest bar.
    most: int
    verdicts: Sequence[str]


def bars(counts: Sequence[Mapping[str, int]]) -> Chart:
    most = max((sum(one.values()) for one in counts), default=0)
    parts = []
    for place, one in enumerate(counts):
        ground = float(HEIGHT)
        for verdict in ORDER:
            if count := one.get(verdict, 0):
                height = HEIGHT * count / most
                ground -= height
                parts.append(Part(verdict=verdict, count=count, x=place * WIDTH, y=ground, height=height))
    service = {part.verdict for part in parts}
    names = [verdict for verdict in ORDER if verdict in service]
    return Chart(parts=parts, width=max(LEAST, len(counts)) * WIDTH, most=most, verdicts=names)
