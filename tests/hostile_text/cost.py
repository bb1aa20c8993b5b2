"""What texts from outside cost, at their worst.

    python -m tests.hostile_text.cost [MEETING …]

Each meeting of `places.MEETINGS` is tried on its cases of half a megabyte and of one: CPU time, a table, exit status 1
where one takes a second, or more than three times as long for twice the text, or ends in an error that is not the
place's own. Cases that follow from an expression are many: they are tried on a few kilobytes, and the slowest on all.
"""

from __future__ import annotations

import contextlib
import re
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from itertools import islice
from types import FrameType
from typing import Any

from tests.hostile_text import found, worst
from tests.hostile_text.places import MEETINGS
from tests.hostile_text.readers import REFUSALS, Meeting, Text

SIZE = 1_000_000
LIMIT_S = 1.0
GROWTH = 3.0
#: Shorter times say nothing of growth.
_NOTHING_S = 0.1
#: Tries of what looks slow: another program's load is not the text's fault.
_TRIES = 3
#: Of the derived texts: their size, their number for each expression, and how many of them are tried at full size.
_SMALL, MOST, _SLOWEST = 4000, 1500, 2
#: What is cut would take very long: so many times the limit, and so long where the text is small.
_CUT, _CUT_SMALL_S = 1.5, 0.05


class _Cut(BaseException):
    """It has taken long enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    case: str
    #: CPU time for a quarter of the text, half of it and all of it.
    quarter_s: float
    half_s: float
    whole_s: float
    #: The error that it ended in, if it is none of the place's own.
    error: str = ""
    limit_s: float = LIMIT_S

    @property
    def complaint(self) -> str:
        if self.error:
            return self.error
        if self.whole_s >= self.limit_s:
            cut_s = _CUT * self.limit_s
            return f"{self.whole_s:.2f} s" if self.whole_s < cut_s else f"cut after {cut_s:g} s"
        # One step alone is none: a longer text may be read in another way.
        if self.whole_s > max(_NOTHING_S, GROWTH * self.half_s) and self.half_s > GROWTH * self.quarter_s:
            return f"{self.quarter_s:.2f} s, {self.half_s:.2f} s, {self.whole_s:.2f} s"
        return ""


def costs(meeting: Meeting, *, size: int = SIZE, limit_s: float = LIMIT_S, most: int = MOST) -> Iterator[Cost]:
    """
    Args:
        size: of the texts that count, in bytes.
        limit_s: what none may take.
        most: how many small texts are made from one expression.
    """
    for name, make in meeting.cases.items():
        yield _cost(meeting, name, make, size, limit_s)
    for pattern in patterns(meeting):
        for index in _slowest(pattern, most):

            def make_one(size: int, pattern: re.Pattern[Any] = pattern, index: int = index) -> str:
                return next(islice(worst.texts(pattern, size, most), index, None))

            case = f"{str(pattern.pattern)[:30]!r} {make_one(_SMALL)[:20]!r}"
            yield _cost(meeting, case, make_one, size, limit_s)


def _slowest(pattern: re.Pattern[Any], most: int) -> list[int]:
    """Which of its texts; the first ones that had to be cut."""
    times: list[tuple[float, int]] = []
    for index, text in enumerate(worst.texts(pattern, _SMALL, most)):
        times.append((_timed(partial(_tried, pattern), text, _CUT_SMALL_S)[0], index))
        if sum(took_s >= _CUT_SMALL_S for took_s, _ in times[-100:]) == _SLOWEST:
            break
    return [index for _, index in sorted(times, reverse=True)[:_SLOWEST]]


def _tried(pattern: re.Pattern[Any], text: str) -> None:
    given = text.encode("latin-1") if isinstance(pattern.pattern, bytes) else text
    pattern.fullmatch(given)
    for _ in pattern.finditer(given):
        pass


def patterns(meeting: Meeting) -> list[re.Pattern[str] | re.Pattern[bytes]]:
    """The expressions at its places."""
    values = [value for place in meeting.places for value in found.values(place)] if meeting.derived else []
    return list(dict.fromkeys(pattern for value in values for pattern in _within(value)))


def _within(value: object) -> Iterator[re.Pattern[str] | re.Pattern[bytes]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _within(part)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _within(getattr(value, field.name))


def _as(meeting: Meeting, text: Text) -> Text:
    """As it is met."""
    if meeting.raw:
        return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return text


def _cost(meeting: Meeting, case: str, make: Callable[[int], Text], size: int, limit_s: float) -> Cost:
    cost, most_s = None, _CUT * limit_s
    texts = [_as(meeting, make(size // part)) for part in (4, 2, 1)]
    for _ in range(_TRIES):
        took_s, error = [0.0], ""
        for text in texts:  # not the longer ones where the shorter was cut
            one_s, error = (most_s, "") if took_s[-1] >= most_s else _timed(meeting.meet, text, most_s)
            took_s.append(one_s)
        _, quarter_s, half_s, whole_s = took_s
        cost = Cost(case=case, quarter_s=quarter_s, half_s=half_s, whole_s=whole_s, error=error, limit_s=limit_s)
        if not cost.complaint:
            break
    assert cost is not None
    return cost


def _timed(meet: Callable[[Any], object], text: Text, most_s: float) -> tuple[float, str]:
    """CPU seconds, and an error that is not the place's own. What takes more is cut, between two steps of Python or of
    an expression."""
    error = ""
    began = time.process_time()
    try:
        with _cut_after(most_s):
            meet(text)
    except REFUSALS:
        pass
    except _Cut:
        return most_s, ""
    except (Exception, RecursionError) as other:
        error = f"{type(other).__name__}: {other}"[:100]
    return time.process_time() - began, error


@contextlib.contextmanager
def _cut_after(seconds: float) -> Iterator[None]:
    def cut(number: int, frame: FrameType | None) -> None:
        raise _Cut

    before = signal.signal(signal.SIGPROF, cut)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def main(names: Sequence[str]) -> int:
    bad = False
    for name in names or MEETINGS:
        slowest = 0.0
        for cost in costs(MEETINGS[name]):
            slowest = max(slowest, cost.whole_s)
            if cost.complaint:
                bad = True
                print(f"{name}: {cost.case}: {cost.complaint}", flush=True)
        print(f"{name}: at most {slowest:.2f} s", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(sys.argv[1:]))
