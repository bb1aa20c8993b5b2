"""What a program writes, as it comes through a pipe; and bytes that it is given, in memory."""

from __future__ import annotations

import fcntl
import os
import select
import time
from contextlib import suppress

_CHUNK = 1 << 18
_PIPE_BYTES = 1 << 16
#: What most runs write fits a pipe, and to be woken by the report alone is less work than by all that they write. So
#: streams are looked at now and then, at first so often, later when half of the time so far has passed again, and
#: waited for only once one held much: a run that fills its pipe between two looks waits for the second.
_LOOK_MS, _LOOK_MOST_MS = 4, 32
_MUCH = 1 << 14


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


class Intake:
    """The outputs of one run, looked at now and then, and waited for once one held much."""

    def __init__(self, streams: list[OutputStream], poller: select.poll) -> None:
        self._streams, self._poller = streams, poller
        self._began_ns = time.monotonic_ns()
        self._flooding = False

    def pause_ms(self, deadline_ns: int) -> int:
        """How long to wait for anything before the next look."""
        now_ns = time.monotonic_ns()
        if self._flooding:
            return max(0, deadline_ns - now_ns) // 1_000_000 + 1
        return min(max(_LOOK_MS, (now_ns - self._began_ns) // 2_000_000), _LOOK_MOST_MS)

    def take(self, events: list[int]) -> None:
        """Take what is there; `events` are the descriptors that were found to hold something."""
        most = 0
        for stream in self._streams:
            if stream.ended or (self._flooding and stream.fd not in events):
                continue
            most = max(most, stream.read())
            if self._flooding and stream.ended:
                self._poller.unregister(stream.fd)
        if most >= _MUCH and not self._flooding:
            self._flooding = True
            for stream in self._streams:
                if not stream.ended:
                    self._poller.register(stream.fd, select.POLLIN)


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
