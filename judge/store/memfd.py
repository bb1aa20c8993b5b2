"""Bytes as a sealed memory file. It has no path, and nobody can change it any more, not even this process. A program
that reads it leaves no trace there for another program to see (from Linux 6.0, whose tmpfs has inode flags)."""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

#: Linux 6.3: asks for an executable file where the system's default (vm.memfd_noexec) is otherwise.
_MFD_EXEC = 0x10
_FS_IOC_SETFLAGS, _FS_NOATIME = 0x40086602, struct.pack("l", 0x80)
_SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
_AT_ONCE = 1 << 30
#: The kernel does not seal a file while something else of its own holds one of the pages (as it does to age or to move
#: them), and waits for that for a fraction of a second only.
_BUSY_S = 10


def sealed(name: str, content: bytes, *, executable: bool = False) -> int:
    """A new descriptor at offset 0; the caller closes it."""

    def fill(fd: int) -> None:
        view = memoryview(content)
        while view:
            view = view[os.write(fd, view) :]

    return _sealed(name, fill, executable)


def sealed_copy(name: str, path: str) -> int:
    """The same of a file's content, which never passes through this process's memory.

    Raises:
        OSError: it cannot be read.
    """
    source = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return _sealed(name, lambda fd: _copy(source, fd), executable=False)
    finally:
        os.close(source)


def _copy(source: int, target: int) -> None:
    while os.sendfile(target, source, None, _AT_ONCE):
        pass


def _sealed(name: str, fill: Callable[[int], None], executable: bool) -> int:
    flags = os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
    try:
        fd = os.memfd_create(name, flags | (_MFD_EXEC if executable else 0))
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        fd = os.memfd_create(name, flags)  # an older kernel: executable anyway
    try:
        fill(fd)
        os.fchmod(fd, 0o555 if executable else 0o444)
        _seal(fd)
        with suppress(OSError):
            fcntl.ioctl(fd, _FS_IOC_SETFLAGS, _FS_NOATIME)
        os.lseek(fd, 0, os.SEEK_SET)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _seal(fd: int) -> None:
    deadline = time.monotonic() + _BUSY_S
    while True:
        try:
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _SEALS)
            return
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


@contextmanager
def memfd(name: str, content: bytes, *, executable: bool = False) -> Iterator[int]:
    """The same, closed at the end."""
    fd = sealed(name, content, executable=executable)
    try:
        yield fd
    finally:
        os.close(fd)
