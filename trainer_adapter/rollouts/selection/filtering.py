"""Keeps the problems whose pass rate is in a band: neither too easy nor too hard to learn from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trainer_adapter.rollouts.selection.files import objects
from trainer_adapter.rollouts.selection.source import Entry

#: Names of the column that names the problem, as data sets have it.
KEYS = ("problem", "problem_id", "pid", "id", "question_id", "name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    low: float = 0.0
    high: float = 1.0
    #: Whether the ends belong to it.
    inclusive: bool = False
    #: Judged rollouts that a problem needs.
    least: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """What a problem's rollouts came to."""

    problem: str
    accepted: int
    judged: int
    #: Rollouts that could not be judged. They count neither as passed nor as failed.
    unjudged: int

    def as_dict(self) -> dict[str, Any]:
        rate = self.accepted / self.judged if self.judged else None
        counts = {"accepted": self.accepted, "judged": self.judged, "unjudged": self.unjudged}
        return {"problem": self.problem, "pass_rate": rate} | counts

    def complaint(self, band: Band) -> str | None:
        """Why the problem is not kept; None: it is."""
        if not self.judged:
            return "none of its rollouts was judged"
        if self.judged < band.least:
            return f"fewer than {band.least} of its rollouts were judged"
        rate = self.accepted / self.judged
        if (band.low <= rate <= band.high) if band.inclusive else (band.low < rate < band.high):
            return None
        if self.accepted in (0, self.judged):
            return "never passed" if self.accepted == 0 else "always passed"
        return "passed too seldom" if rate <= band.low else "passed too often"


def rates(by_problem: Mapping[str, list[Entry]]) -> Iterator[Rate]:
    for problem, entries in by_problem.items():
        judged = sum(entry.judged for entry in entries)
        accepted = sum(entry.accepted for entry in entries)
        yield Rate(problem=problem, accepted=accepted, judged=judged, unjudged=len(entries) - judged)


def matching(lines: Iterator[bytes], name: str, keep: frozenset[str], key: str | None) -> Iterator[tuple[str, bytes]]:
    """The problem and the bytes of each line whose problem is to be kept. `key` names the column; None: the first of
    KEYS that holds such a problem.

    Raises:
        ConfigError: a line is no JSON object; it says which.
    """
    for _, line, row in objects(lines, name):
        values = (row.get(one) for one in ((key,) if key else KEYS))
        found = (str(value) for value in values if isinstance(value, (str, int)))
        problem = next((value for value in found if value in keep), None)
        if problem is not None:
            yield problem, line if line.endswith(b"\n") else line + b"\n"
