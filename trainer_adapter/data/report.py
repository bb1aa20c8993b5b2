"""Counts what of a data set was kept and dropped, and why.

A hazard that was found is counted among the problems that are dropped or kept, by its reason, and again by its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from trainer_adapter.data.hazards import ABOUT, Does, Hazard
from trainer_adapter.data.places import Places

_EXAMPLES = 3
_DONE = {Does.KEEP: "kept", Does.DROP: "dropped"}


@dataclass(slots=True, kw_only=True)
class Tally:
    """How often something occurred, with examples of where."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, example: str) -> None:
        self.counts[reason] += 1
        examples = self.examples.setdefault(reason, [])
        if len(examples) < _EXAMPLES:
            examples.append(example)

    def as_dict(self) -> dict[str, Any]:
        return {why: {"count": count, "examples": self.examples[why]} for why, count in self.counts.most_common()}

    def lines(self) -> Iterator[str]:
        for why, count in self.counts.most_common():
            yield f"  {count:>7}  {why} (e.g. {', '.join(self.examples[why])})"


@dataclass(slots=True, kw_only=True)
class Report:
    """The counts. All count problems, except `tests` and `dropped_tests`, which count tests."""

    source: str
    schema: str = ""
    rows: int = 0
    train: int = 0
    held_out: int = 0
    places: Places = field(default_factory=Places)
    tests: int = 0
    dropped: Tally = field(default_factory=Tally)
    dropped_tests: Tally = field(default_factory=Tally)
    #: Problems that are kept, but may be bad.
    doubts: Tally = field(default_factory=Tally)
    #: Names of hazards.
    hazards: Tally = field(default_factory=Tally)
    #: What was done with problems that have them.
    done: dict[Hazard, Does] = field(default_factory=dict)
    #: Columns that hold something and are not read, with a row.
    unread: Tally = field(default_factory=Tally)
    #: Problems whose reference programs were run; None: none were to be.
    references_run: int | None = None
    difficulties: Counter[str] = field(default_factory=Counter)
    #: Number of tokens of each kept prompt, if there was a tokenizer.
    prompt_tokens: list[int] = field(default_factory=list)

    def add(self, hazards: Sequence[Hazard], does: Callable[[Hazard], Does], example: str) -> bool:
        """Count a problem and its hazards. Returns whether it is dropped: for the first that says so."""
        for hazard in hazards:
            self.hazards.add(hazard, example)
            self.done[hazard] = does(hazard)
        fatal = next((hazard for hazard in hazards if does(hazard) is Does.DROP), None)
        if fatal is not None:
            self.dropped.add(ABOUT[fatal].reason, example)
        for hazard in hazards if fatal is None else ():
            self.doubts.add(ABOUT[hazard].reason, example)
        return fatal is not None

    def as_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "schema": self.schema,
            "rows": self.rows,
            "train": self.train,
            "held_out": self.held_out,
            "tests": self.tests,
            "dropped": self.dropped.as_dict(),
            "dropped_tests": self.dropped_tests.as_dict(),
            "doubts": self.doubts.as_dict(),
            "hazards": {
                name: found
                | {
                    "reason": ABOUT[Hazard(name)].reason,
                    "done": _DONE[self.done[Hazard(name)]],
                    "filter": ABOUT[Hazard(name)].filter,
                }
                for name, found in self.hazards.as_dict().items()
            },
            "unread_columns": self.unread.as_dict(),
            "references_run": self.references_run,
            "difficulties": dict(self.difficulties.most_common()),
            "prompt_tokens": self._tokens(),
        }

    def _tokens(self) -> dict[str, float] | None:
        if not self.prompt_tokens:
            return None
        return {"least": min(self.prompt_tokens), "median": median(self.prompt_tokens), "most": max(self.prompt_tokens)}

    def lines(self) -> Iterator[str]:
        kept = f"{self.train + self.held_out} of {self.rows} problems kept"
        one = " (training holds out one, since the share is of less)" if self.places.share_of_one() else ""
        yield f"{self.source} ({self.schema}): {kept}, {self.held_out} of them held out{one}; {self.tests} tests"
        for title, tally in (
            ("dropped problems", self.dropped),
            ("dropped tests", self.dropped_tests),
            ("kept, with a doubt", self.doubts),
        ):
            if tally.counts:
                yield f"{title}: {tally.counts.total()}"
                yield from tally.lines()
        yield from self._hazard_lines()
        if self.unread.counts:
            yield "columns that are not read: " + ", ".join(sorted(self.unread.counts))
        if self.difficulties.keys() - {"unknown"}:
            yield "difficulty: " + ", ".join(f"{name} {count}" for name, count in self.difficulties.most_common(12))
        if tokens := self._tokens():
            yield "prompt tokens: " + ", ".join(f"{name} {number:g}" for name, number in tokens.items())

    def _hazard_lines(self) -> Iterator[str]:
        if self.references_run is not None:
            yield f"reference solutions of {self.references_run} problems were run"
        if self.hazards.counts:
            yield "hazards, what was done here, and what judge-train filter does about a problem that is kept:"
        for name, count in self.hazards.counts.most_common():
            hazard = Hazard(name)
            done = _DONE[self.done[hazard]]
            example = self.hazards.examples[name][0]
            yield f"  {count:>7}  {name}: {done} (e.g. {example}); filter: {ABOUT[hazard].filter}"
