"""Writes the output of `judge batch`: one line of JSON for each row. Each line is appended by one write, so a crash
leaves whole lines, and at most one torn line at the end, which the next batch cuts off.

A line is a Judgement with the input's `line` number added. A row that could not be judged gives
`{"id": …, "line": N, "error": "…", "verdict": null}`.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from judge.cli.rows import InputLine
from judge.common.errors import ConfigError
from judge.common.models import Judgement, encode, shallow

#: What `-o -` names: nothing is locked there, and nothing resumed.
STDOUT = Path("-")


class Results:
    """The result file, locked for this process; knows which rows it holds already."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        self._path = path
        self._ids: set[object] = set()
        self._lines: set[object] = set()  # of rows without an id
        #: Rows of earlier batches that could not be judged.
        self.failed = 0
        # Unbuffered: each line is one write of its own.
        if path == STDOUT:
            self._file: IO[bytes] = open(1, "wb", buffering=0, closefd=False)  # noqa: SIM115 - closed by close
            return
        self._file = path.open("a+b", buffering=0)
        try:
            self._lock()
            if resume:
                self._load()
            elif os.fstat(self._file.fileno()).st_size:
                raise ConfigError(f"{path} holds results already: add --resume to go on, or name another file with -o")
        except BaseException:
            self._file.close()
            raise

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(f"{self._path}: another batch is writing it; wait for it, or name another file") from None

    def _load(self) -> None:
        end = 0  # of the last whole line
        self._file.seek(0)
        with open(self._file.fileno(), "rb", closefd=False) as stream:
            for number, line in enumerate(stream, 1):
                if not line.endswith(b"\n"):
                    break
                self._know(number, line)
                end += len(line)
        with self._named():
            self._file.truncate(end)

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

    def judged(self, item: InputLine, judgement: Judgement) -> None:
        self._append(shallow(judgement) | {"id": item.id, "line": item.line})

    def refused(self, item: InputLine, error: str) -> None:
        self._append({"schema": 1, "id": item.id, "line": item.line, "verdict": None, "error": error})

    def _append(self, result: dict[str, Any]) -> None:
        left = memoryview(encode(result).encode("ascii") + b"\n")
        with self._named():
            while left:  # a regular file takes it all at once; a full disk or a pipe may not
                left = left[self._file.write(left) :]

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Python names no file when a write fails."""
        try:
            yield
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from error

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()
