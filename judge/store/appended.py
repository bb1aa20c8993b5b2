"""A file of lines that one process appends to. Each line is appended by one write, so a crash leaves whole lines, and
at most one torn line at the end, which the next process cuts off."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from judge.common.errors import ConfigError

#: What `-o -` names: nothing is locked there, and nothing resumed.
STDOUT = Path("-")


class AppendedLines:
    """The file, locked for this process. Not thread-safe."""

    def __init__(self, path: Path, writer: str) -> None:
        """
        Raises:
            ConfigError: another process, such a `writer`, has it.
            OSError: it cannot be opened.
        """
        self._path = path
        # Unbuffered: each line is one write of its own.
        if path == STDOUT:
            self._file: IO[bytes] = open(1, "wb", buffering=0, closefd=False)  # noqa: SIM115 - closed by close
            return
        self._file = path.open("a+b", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise ConfigError(f"{path}: another {writer} is writing it; wait for it, or name another file") from None

    @property
    def size(self) -> int:
        """Bytes."""
        return 0 if self._path == STDOUT else os.fstat(self._file.fileno()).st_size

    def whole(self) -> Iterator[tuple[int, bytes]]:
        """The number and the bytes of each whole line. What follows the last of them is cut off then."""
        end = 0  # of the last whole line
        self._file.seek(0)
        with open(self._file.fileno(), "rb", closefd=False) as stream:
            for number, line in enumerate(stream, 1):
                if not line.endswith(b"\n"):
                    break
                yield number, line
                end += len(line)
        with self._naming_file():
            self._file.truncate(end)

    def append(self, line: bytes) -> None:
        """
        Raises:
            OSError: it cannot be written; it names the file. The last line may be torn: nothing may follow it.
        """
        left = memoryview(line)
        with self._naming_file():
            while left:  # a regular file takes it all at once; a full disk or a pipe may not
                left = left[self._file.write(left) :]

    @contextmanager
    def _naming_file(self) -> Iterator[None]:
        """Python names no file when a write fails."""
        try:
            yield
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from error

    def close(self) -> None:
        self._file.close()
