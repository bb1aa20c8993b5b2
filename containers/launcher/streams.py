"""What a program writes, as it comes through a pipe; and bytes that it is given, in memory."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress

_CHUNK = 1 << 18
_PIPE_BYTES = 1 << 16


class OutputStream:
    """One output of the program: kept up to a cap, counted beyond it."""

    __slots__ = ("cap", "chunks", "count", "ended", "fd", "kept")

    def __init__(self, fd: int, cap: int) -> None:
        self.fd, self.cap = fd, cap
        self.chunks: list[bytes] = []
        self.kept = self.count = 0
        self.ended = False

    def read(self) -> int:
        """Take what is there; how much that was."""
        try:
            chunk = os.read(self.fd, _CHUNK)
        except BlockingIOError:
            return 0
        if not chunk:
            self.ended = True
            return 0
        size = len(chunk)
        if size == _PIPE_BYTES:
            with suppress(OSError):  # a program that floods: let each turn take more
                fcntl.fcntl(self.fd, fcntl.F_SETPIPE_SZ, 1 << 20)
        self.count += size
        if self.kept < self.cap:
            chunk = chunk[: self.cap - self.kept]
            self.kept += len(chunk)
            self.chunks.append(chunk)
        return size

    def drain(self) -> None:
        """Take the rest: every writer is gone."""
        while not self.ended and self.read():  # to the end: a pipe in packet mode gives one write at a time
            pass


def pipe() -> tuple[int, int]:
    """A pipe that the program can open again through /dev/stdout for writing, and nobody for reading."""
    reader, writer = os.pipe2(os.O_CLOEXEC)
    os.set_blocking(reader, False)
    os.fchmod(writer, 0o222)
    return reader, writer


def memory_file(name: str, content: bytes) -> int:
    fd = os.memfd_create(name, os.MFD_CLOEXEC)
    with memoryview(content) as view:
        written = 0
        while written < len(view):
            written += os.write(fd, view[written:])
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
