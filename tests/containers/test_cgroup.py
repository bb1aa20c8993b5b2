"""Control files of a cgroup that cannot be opened."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from containers.launcher.cgroup import Nested
from containers.launcher.wire import SetupFd

NAMES = ("memory.max", "memory.events", "memory.peak", "pids.max", "cpu.stat")


@pytest.mark.parametrize("name", ["memory.peak", "pids.max", "cpu.stat"])
def test_only_what_the_kernel_does_not_have_is_done_without(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that is out of descriptors for now gives no weaker slot."""
    for each in NAMES:
        (tmp_path / each).touch()
    nested = Nested(version=2, memory=tmp_path, pids=tmp_path, cpu=tmp_path)
    opened, error = os.open, errno.ENOENT

    def open_(path: Path, flags: int) -> int:
        if path.name == name:
            raise OSError(error, os.strerror(error))
        return opened(path, flags)

    monkeypatch.setattr("containers.launcher.cgroup.os.open", open_)
    before = len(list(Path("/proc/self/fd").iterdir()))
    bits, fds = nested.open()
    for fd in fds:
        os.close(fd)
    assert len(fds) == bits.bit_count() == len(SetupFd) - 1
    error = errno.EMFILE
    with pytest.raises(OSError, match="Too many open files"):
        nested.open()
    assert len(list(Path("/proc/self/fd").iterdir())) == before
