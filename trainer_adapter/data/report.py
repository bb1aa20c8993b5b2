"""Counts what of a data set was kept and dropped, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any

_EXAMPLES = 3


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
    tests: int = 0
    dropped: Tally = field(default_factory=Tally)
    dropped_tests: Tally = field(default_factory=Tally)
    #: Problems that are kept, but may be bad.
    doubts: Tally = field(default_factory=Tally)
    difficulties: Counter[str] = field(default_factory=Counter)
    #: Number of tokens of each kept prompt, if there was a tokenizer.
    prompt_tokens: list[int] = field(default_factory=list)

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
            "difficulties": dict(self.difficulties.most_common()),
            "prompt_tokens": self._tokens(),
        }

    def _tokens(self) -> dict[str, float] | None:
        if not self.prompt_tokens:
            return None
        return {"least": min(self.prompt_tokens), "median": median(self.prompt_tokens), "most": max(self.prompt_tokens)}

    def lines(self) -> Iterator[str]:
        kept = f"{self.train + self.held_out} of {self.rows} problems kept"
        yield f"{self.source} ({self.schema}): {kept}, {self.held_out} of them held out; {self.tests} tests"
        for title, tally in (
            ("dropped problems", self.dropped),
            ("dropped tests", self.dropped_tests),
            ("kept, with a doubt", self.doubts),
        ):
            if tally.counts:
                yield f"{title}: {tally.counts.total()}"
                yield from tally.lines()
        if self.difficulties.keys() - {"unknown"}:
            yield "difficulty: " + ", ".join(f"{name} {count}" for name, count in self.difficulties.most_common(12))
        if tokens := self._tokens():
            yield "prompt tokens: " + ", ".join(f"{name} {number:g}" for name, number in tokens.items())
