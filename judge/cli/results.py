"""Writes the output of `judge batch`: one line of JSON for each row.

A line is a Judgement with the input's `line` number added. A row that could not be judged gives
`{"id": …, "line": N, "error": "…", "verdict": null}`.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from judge.common.errors import ConfigError
from judge.common.models import Judgement, encode, shallow
from judge.many.rows import InputLine
from judge.store.appended import STDOUT, AppendedLines

__all__ = ["STDOUT", "Results"]


class Results:
    """The result file, locked for this process; knows which rows it holds already."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        self._path = path
        self._ids: set[object] = set()
        self._lines: set[object] = set()  # of rows without an id
        #: Rows of earlier batches that could not be judged.
        self.failed = 0
        self._file = AppendedLines(path, "batch")
        try:
            if resume:
                for number, line in self._file.whole():
                    self._know(number, line)
            elif self._file.size:
                raise ConfigError(f"{path} holds results already: add --resume to go on, or name another file with -o")
        except BaseException:
            self._file.close()
            raise

    def _know(self, number: int, line: bytes) -> None:
        try:
            result: Any = json.loads(line)
            known, key = (self._lines, result["line"]) if result["id"] is None else (self._ids, result["id"])
            known.add(key)
            self.failed += result["verdict"] in (None, "IE")
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ConfigError(f"{self._path} line {number} is no result of judge batch; name another file") from None

    def __len__(self) -> int:
        return len(self._ids) + len(self._lines)

    def __contains__(self, item: InputLine) -> bool:
        return item.line in self._lines if item.id is None else item.id in self._ids

    def add_judgement(self, item: InputLine, judgement: Judgement) -> None:
        self._append(shallow(judgement) | {"id": item.id, "line": item.line})

    def add_refusal(self, item: InputLine, error: str) -> None:
        self._append({"schema": 1, "id": item.id, "line": item.line, "verdict": None, "error": error})

    def _append(self, result: dict[str, Any]) -> None:
        self._file.append(encode(result).encode("ascii") + b"\n")

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()
