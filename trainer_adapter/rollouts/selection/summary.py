"""Says how many rows went where, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from trainer_adapter.data.report import Tally


@dataclass(slots=True, kw_only=True)
class Summary:
    #: Kind of the rows that `dropped` counts: "rows", "problems".
    what: str
    source: str
    read: int = 0
    #: Rows of the result.
    written: int = 0
    #: What became of those.
    fate: str = "written"
    dropped: Tally = field(default_factory=Tally)
    #: What else there is to say, by name.
    figures: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        counts = {"read": self.read, "written": self.written, "dropped": self.dropped.as_dict()}
        return {"source": self.source, "what": self.what} | counts | self.figures | {"notes": self.notes}

    def lines(self) -> Iterator[str]:
        yield f"{self.source}: {self.read} {self.what} read, {self.written} {self.fate}"
        if self.dropped.counts:
            yield f"left out: {self.dropped.counts.total()} {self.what}"
            yield from self.dropped.lines()
        for name, value in self.figures.items():
            if isinstance(value, (int, float, str)):
                yield f"{name.replace('_', ' ')}: {round(value, 3) if isinstance(value, float) else value}"
        yield from self.notes
