"""How Hydro shares points (packages/common/subtask.ts, normalizeSubtasks)."""

from __future__ import annotations

from collections.abc import Sequence

from problems.importing.draft import Draft


def points_of_cases(draft: Draft, kind: str, whole: float, stated: Sequence[float | None]) -> list[float]:
    """What each test of a subtask is worth, which has `whole` points. Those of a sum that state nothing share what is
    left in whole points."""
    if kind != "sum":
        if any(score and score != whole for score in stated):
            what = f"a test with a score of its own in a subtask of type {kind}"
            raise draft.error(what, "remove it: each is worth what the subtask is")
        return [whole] * len(stated)
    left = max(whole - sum(score or 0.0 for score in stated), 0.0)
    shares = iter(share(left, sum(not score for score in stated)))
    return [score or next(shares) for score in stated]


def share(points: float, count: int) -> list[float]:
    """Whole points, of which the last get more."""
    return [points // count + (index >= count - points % count) for index in range(count)]
