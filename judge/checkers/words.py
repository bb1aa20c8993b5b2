"""What sites make of the words that a program of testlib says on stderr: their own parsers decide, not the exit code.

Hydro (packages/hydrojudge/src/testlib.ts)
    ok …, wrong answer …, wrong output format …
    partially correct (N) …, points X …     above 1 they are per cent; the points of the test are rounded down
    status(N) and score(N)                  at the begin of the message: these are set, N points
UOJ (judger/uoj_judger/include/uoj_judger.h)
    ok, points X                            a share, in whole hundredths; the points of the test are rounded down
LemonLime (src/core/judgingthread.cpp)
    ok, partially correct (N), points X     N per cent, a share X; the points of the test are rounded down
    a special judge's file of points        a whole number, as Qt reads it: 010 is 8, 0x10 is 16
omegaUp (go-base/rational.go): a share in whole parts of a usual denominator, else of 1024
DMOJ (dmoj/contrib): a line "partial 3/10" (coci), or "points 5" (testlib), points of the test
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

#: From what it said, and what the test is worth, to the share of that; None: it said nothing that the site knows.
Share = Callable[[str, float], float | None]

PART = "partially correct ("
_POINTS = "points "
_DECIMAL = r"\s*+([+-]?(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?\d++)?+)"
_NUMBER = re.compile(_DECIMAL + r"\s*+", re.ASCII)
_OF_JAVASCRIPT = re.compile(r"\s*+(?:(0[xX][\da-fA-F]++|0[oO][0-7]++|0[bB][01]++)|([+-]?Infinity))\s*+", re.ASCII)
_LEADING = re.compile(_DECIMAL + r"(?![xX])", re.ASCII)
_OF_QT = re.compile(
    r"\s*+(?:0[xX]([\da-fA-F]{1,15})|0[bB]([01]{1,60})|0([0-7]{1,20})|(?!0[0-7xXbB])([+-]?\d{1,18}))", re.ASCII
)
_ONE_ORDER = re.compile(r"[^\S\n]*+(status|score)\((\d{1,9})\)\s*+", re.ASCII)
_ORDER = re.compile("^" + _ONE_ORDER.pattern, re.ASCII | re.MULTILINE)
_COCI = re.compile(r"^partial (\d{1,18})/(\d{0,17}[1-9]\d{0,17})$", re.ASCII | re.MULTILINE)
_DMOJ = re.compile(r"^points (\d{1,18})$", re.ASCII | re.MULTILINE)
_PER_CENT = re.compile(r"partially correct \((\d{1,9})\)", re.ASCII)
_LEMON_POINTS = re.compile(r"points (\d*\.\d+|\d+)", re.ASCII)
_RATIO = re.compile(r"Ratio: ([\d.]+)", re.ASCII)
_RAW_RATIO = re.compile(r"RatioUnbounded: ([\d.]+)", re.ASCII)
#: More than any share is, so that points stay finite.
_MOST_SHARE = 1e6
_WORDS = ("ok ", "wrong answer ", "wrong output format ", PART, _POINTS)


def decimal(text: str) -> float:
    """The number that a text is in the form that all languages read; NaN: it is none."""
    match = _NUMBER.fullmatch(text)
    return float(match[1]) if match else math.nan


def number(text: str) -> float:
    """The number that a text is, as JavaScript reads it; 0: it is none."""
    match = _OF_JAVASCRIPT.fullmatch(text)
    if match is not None:
        return float(int(match[1][:200], 0)) if match[1] else float(match[2])
    value = decimal(text)
    return 0.0 if math.isnan(value) else value


def whole_points(points: float, full: float) -> float:
    """The share that is left when the points, of `full`, are rounded down, as floating-point numbers are."""
    return points / full if points >= full else math.floor(points) / full


def hydro_share(said: str, full: float) -> float | None:
    """What begins with no word that it knows is wrong."""
    points, message = 0.0, said
    if said.startswith("ok "):
        points = full
    elif said.startswith(PART):
        points = math.floor(full * _part(number(said.split(PART)[1].split(")", maxsplit=1)[0])))
        message = said.partition(")")[2].strip()
    elif said.startswith(_POINTS):
        share = _part(number(said.split(_POINTS)[1].split(" ", maxsplit=1)[0]))
        points = full if share == 1 else math.floor(full * share)
        message = said.split(" ", 2)[2] if share == 1 and said.count(" ") > 1 else said
    else:
        message = next((said.removeprefix(word) for word in _WORDS if said.startswith(word)), said)
    order, line, place = _ORDER.search(message), "", 0
    if order is not None:
        line, place = message, order.start()
    while (order := _ONE_ORDER.match(line, place)) is not None:
        if order[1] == "score":
            points = float(order[2])
        place = order.end()
    return min(1.0, max(0.0, points / full))


def _part(said: float) -> float:
    return max(-_MOST_SHARE, min(_MOST_SHARE, said / 100 if said > 1 else said))


def uoj_share(said: str, full: float) -> float | None:
    word = (said.split() or [""])[0][:20]
    if word != "points":
        return float(word == "ok") if word else None
    match = _LEADING.match(said.split(None, 1)[1] if said.split()[1:] else "")
    if match is None or not math.isfinite(float(match[1])):
        return None
    hundredths = math.floor(100 * max(0.0, min(1.0, float(match[1]))) + 0.5)
    whole = round(full)
    return hundredths / 100 if whole < 1 else hundredths * whole // 100 / whole


def lemon_share(said: str, full: float) -> float | None:
    """`full` is a whole number. A share above 1 is accepted."""
    points = full if said.startswith("ok") else 0.0
    if said.startswith("FAIL"):
        return None
    if (per_cent := _PER_CENT.match(said)) is not None:
        points = int(per_cent[1]) * int(full) // 100
    elif (share := _LEMON_POINTS.match(said)) is not None:
        points = math.floor(min(float(share[1]), _MOST_SHARE) * full)
    return min(1.0, points / full)


def lemon_points(written: str) -> float:
    """A file that is empty is 0; NaN: it begins with no whole number."""
    match = _OF_QT.match(written)
    if match is None:
        return math.nan if written.strip() else 0.0
    return next(float(int(digits, base)) for digits, base in zip(match.groups(), (16, 2, 8, 10), strict=True) if digits)


def omegaup_share(share: float) -> float:
    """`share`: from 0 to 1."""
    for whole in (1, 100, 1000, 720, 5040, 40320, 3628800):
        if abs(share * whole - round(share * whole)) <= 1e-6:
            return round(share * whole) / whole
    return math.floor(share * 1024 + 0.5) / 1024


def coci_share(said: str, full: float) -> float | None:
    match = _COCI.search(said)
    share = int(match[1]) / int(match[2]) if match else -1.0
    return share if 0 <= share <= 1 else None


def dmoj_share(said: str, full: float) -> float | None:
    match = _DMOJ.search(said)
    points = int(match[1]) if match else -1
    return points / full if 0 <= points <= full else None


def ratio(said: str, *, raw: bool = False) -> str | None:
    """The number after the first "Ratio: ", or "RatioUnbounded: ", as JavaScript's parseFloat reads it."""
    match = (_RAW_RATIO if raw else _RATIO).search(said)
    found = _LEADING.match(match[1]) if match else None
    return found[1] if found else None
