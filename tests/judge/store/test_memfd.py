"""Memory files: sealed, also where the kernel is busy with them."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import threading
from collections.abc import Iterator

import pytest

from judge.store import memfd


@pytest.fixture
def mapped(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[mmap.mmap]]:
    """A writable mapping of each file that is filled: the kernel does not seal it meanwhile."""
    mappings = list[mmap.mmap]()
    seal = memfd._seal

    def busy(fd: int) -> None:
        mappings.append(mmap.mmap(fd, 0))
        with pytest.raises(OSError, match=os.strerror(errno.EBUSY)):
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)
        seal(fd)

    monkeypatch.setattr(memfd, "_seal", busy)
    yield mappings
    for mapping in mappings:
        mapping.close()


def test_a_file_that_the_kernel_holds_is_sealed_when_it_is_free(mapped: list[mmap.mmap]) -> None:
    def free() -> None:
        mapped[0].close()

    timer = threading.Timer(0.1, free)
    timer.start()
    fd = memfd.seal("input", b"1 2\n")
    try:
        assert mapped[0].closed
        assert os.read(fd, 10) == b"1 2\n"
        with pytest.raises(PermissionError):
            os.write(fd, b"3")
    finally:
        os.close(fd)
        timer.join()


def test_a_file_that_stays_busy_is_an_error(mapped: list[mmap.mmap], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memfd, "_BUSY_S", 0.05)
    with pytest.raises(OSError, match=os.strerror(errno.EBUSY)):
        memfd.seal("input", b"1 2\n")
