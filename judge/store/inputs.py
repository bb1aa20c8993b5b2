"""Keeps test inputs as sealed memory files, made once and shared by all slots.

Each program gets its own read-only descriptor, with its own offset. The seals hold even if it opens the file again
through /proc/self/fd. A memory file has no path, so it does not tell where the answers lie.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from judge.store.memfd import seal, sealed_copy
from problems.errors import ProblemError
from problems.model import MIB, TestCase

#: Path, size, inode, ctime: they change with the file and with its content.
_Key = tuple[str, int, int, int]


def _reopen(descriptor: int) -> int:
    """The same file, read-only and at offset 0, independent of `descriptor`; the caller closes it."""
    return os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)


@contextmanager
def stream(data: bytes) -> Iterator[int]:
    """A descriptor of `data` for standard input."""
    descriptor = seal("input", data)
    try:
        own = _reopen(descriptor)
    finally:
        os.close(descriptor)
    try:
        yield own
    finally:
        os.close(own)


class Inputs:
    """The inputs used last: up to `capacity_bytes` together (a larger one is not kept), and at most `most`, because
    each is an open file. Thread-safe."""

    def __init__(self, capacity_bytes: int = 256 * MIB, most: int = 256) -> None:
        self._capacity = capacity_bytes
        self._most = most
        self._held = 0
        self._lock = threading.Lock()
        self._files: OrderedDict[_Key, int] = OrderedDict()

    @contextmanager
    def open(self, case: TestCase) -> Iterator[int]:
        """A new descriptor of the case's input, for standard input.

        Raises:
            ProblemError: the input cannot be read.
        """
        try:
            own = self._own(str(case.input))
        except OSError as error:
            raise ProblemError(
                f"test {case.name}: cannot read {case.input}: {error.strerror}; check the package's data/"
            ) from error
        try:
            yield own
        finally:
            os.close(own)

    def _own(self, path: str) -> int:
        status = os.stat(path)  # noqa: PTH116 - at every run: a Path takes three times as long
        if status.st_size > self._capacity:
            return sealed_copy("input", path)
        with self._lock:  # a reopened file outlives its eviction
            return _reopen(self._descriptor(path, status))

    def _descriptor(self, path: str, status: os.stat_result) -> int:
        size = status.st_size
        key = path, size, status.st_ino, status.st_ctime_ns
        if (found := self._files.get(key)) is not None:
            self._files.move_to_end(key)
            return found
        while self._files and (self._held + size > self._capacity or len(self._files) >= self._most):
            (_, old_size, _, _), old = self._files.popitem(last=False)
            os.close(old)
            self._held -= old_size
        self._files[key] = descriptor = sealed_copy("input", path)
        self._held += size
        return descriptor

    def close(self) -> None:
        with self._lock:
            while self._files:
                os.close(self._files.popitem()[1])
            self._held = 0
