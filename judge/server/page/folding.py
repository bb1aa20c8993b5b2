"""The tests of one judgement in parts that fold, so that a thousand of them do not fill the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

#: Fewer tests are one table.
MOST_UNFOLDED = 60
_PART = 50
_NO_FAILURE = ("AC", "SK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    #: Of all tests, from 1.
    first: int
    last: int
    tests: Sequence[dict[str, Any]]
    counts: dict[str, int]
    open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    #: How often each verdict came, of all tests.
    counts: dict[str, int]
    #: One that is not folded, or several.
    parts: Sequence[Part]
    #: The verdict that alone is shown; "": all.
    verdict: str
    #: The test that was looked for, and whether there is one.
    wanted: str
    found: bool


def fold_tests(tests: Sequence[dict[str, Any]], verdict: str, wanted: str) -> Folded:
    """Those of `verdict`, or all. Open is the part with the test `wanted` (a name, or the end of one), else that with
    the first failure, else the first."""
    chosen = [test for test in tests if verdict in ("", test["verdict"])]
    target = _place(chosen, wanted)
    shown = target
    if shown is None:
        shown = next((place for place, test in enumerate(chosen) if test["verdict"] not in _NO_FAILURE), 0)
    size = _PART if len(chosen) > MOST_UNFOLDED else max(len(chosen), 1)
    parts = [
        Part(
            first=start + 1,
            last=min(start + size, len(chosen)),
            tests=chosen[start : start + size],
            counts=dict(Counter(test["verdict"] for test in chosen[start : start + size])),
            open=start <= shown < start + size,
        )
        for start in range(0, len(chosen), size)
    ]
    name = "" if target is None else chosen[target]["name"]
    counts = dict(Counter(test["verdict"] for test in tests))
    return Folded(counts=counts, parts=parts, verdict=verdict, wanted=name or wanted, found=target is not None)


def _place(tests: Sequence[dict[str, Any]], wanted: str) -> int | None:
    if not wanted:
        return None
    exact = next((place for place, test in enumerate(tests) if test["name"] == wanted), None)
    return (
        exact if exact is not None else next((n for n, test in enumerate(tests) if test["name"].endswith(wanted)), None)
    )
