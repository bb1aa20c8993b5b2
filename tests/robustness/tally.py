"""Figures that add up over several runs of a script: rows of counts, kept as JSON, shown as a table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path


class Tally:
    """Counts by row and column. What the file holds already is added to."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.rows: dict[str, Counter[str]] = {}
        if path is not None and path.exists():
            self.rows = {row: Counter(columns) for row, columns in json.loads(path.read_bytes()).items()}

    def add(self, row: str, columns: Mapping[str, int]) -> None:
        self.rows.setdefault(row, Counter()).update(columns)
        if self._path is not None:
            self._path.write_text(json.dumps(self.rows, indent=1) + "\n")

    def table(self) -> str:
        """As Markdown."""
        columns = list(dict.fromkeys(column for counts in self.rows.values() for column in counts))
        head = ["", *columns]
        body = [[row, *(str(counts[column]) for column in columns)] for row, counts in self.rows.items()]
        rule = ["---", *("---:" for _ in columns)]
        return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *body))
