"""Makes sealed memory files. Such a file has no path, and nobody can change it, not even this process. From Linux 6.0
on its access time stays as it is, so that a program that reads it leaves no trace for another program."""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

#: From Linux 6.3 on: asks for an executable file even if the system's default (vm.memfd_noexec) is another.
_MFD_EXEC = 0x10
_FS_IOC_SETFLAGS, _FS_NOATIME = 0x40086602, struct.pack("l", 0x80)
_SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
_AT_ONCE = 1 << 30
#: The kernel refuses to seal a file (EBUSY) while it holds one of the pages itself, to age or to move it. It waits only
#: a fraction of a second for that; we try again for this long.
_BUSY_S = 10


def seal(name: str, content: bytes, *, executable: bool = False) -> int:
    """A new descriptor at offset 0; the caller closes it."""

    def fill(fd: int) -> None:
        view = memoryview(content)
        while view:
            view = view[os.write(fd, view) :]

    return _make_sealed(name, fill, executable)


def sealed_copy(name: str, path: str) -> int:
    """As `seal`, with the content of a file. The content never passes through this process's memory.

    Raises:
        OSError: the file cannot be read.
    """
    source = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return _make_sealed(name, lambda fd: _copy(source, fd), executable=False)
    finally:
        os.close(source)


def _copy(source: int, target: int) -> None:
    while os.sendfile(target, source, None, _AT_ONCE):
        pass


def _make_sealed(name: str, fill: Callable[[int], None], executable: bool) -> int:
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
    """As `seal`; the context closes the descriptor."""
    fd = seal(name, content, executable=executable)
    try:
        yield fd
    finally:
        os.close(fd)
