"""Reads what a program writes into its pipes, and puts the bytes that it is given into memory files."""

from __future__ import annotations

import fcntl
import os
import select
import time
from contextlib import suppress

from containers.launcher.waited import read_own_waited_ns

_CHUNK = 1 << 18
_PIPE_BYTES = 1 << 16
#: What most runs write fits into a pipe, and waking for the report alone costs less than waking for each write. So we
#: read the pipes now and then: first at this interval, later at half of the run's time so far. Once a pipe held much,
#: we wake for each write. A run that fills its pipe between two readings waits for the second.
_LOOK_MS, _LOOK_MOST_MS = 4, 32
_MUCH = 1 << 14


class OutputStream:
    """One output of the program. It keeps the first `cap` bytes, and counts all."""

    __slots__ = ("cap", "chunks", "count", "ended", "fd", "kept")

    def __init__(self, fd: int, cap: int) -> None:
        self.fd, self.cap = fd, cap
        self.chunks: list[bytes] = []
        self.kept = self.count = 0
        self.ended = False

    def read(self) -> int:
        """Read what is there; returns how many bytes."""
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

    def drain(self) -> int:
        """Read the rest, once every writer is gone; returns how many bytes."""
        before = self.count
        while not self.ended and self.read():  # several times: a pipe in packet mode gives one write at a time
            pass
        return self.count - before


class Intake:
    """Reads the outputs of one run: now and then, and at each write once one held much."""

    def __init__(self, streams: list[OutputStream], poller: select.poll) -> None:
        self._streams, self._poller = streams, poller
        self._began_ns = time.monotonic_ns()
        self._flooding = False
        self._waited_ns = read_own_waited_ns()
        #: How long this thread waited for a core while a pipe was full, and the program for this thread.
        self.kept_waiting_ns = 0

    def pause_ms(self, deadline_ns: int) -> int:
        """How long to wait before the next reading, in milliseconds."""
        now_ns = time.monotonic_ns()
        if self._flooding:
            return max(0, deadline_ns - now_ns) // 1_000_000 + 1
        return min(max(_LOOK_MS, (now_ns - self._began_ns) // 2_000_000), _LOOK_MOST_MS)

    def take(self, events: list[int]) -> None:
        """Read what is there; `events` are the descriptors that poll reported."""
        most = 0
        for stream in self._streams:
            if stream.ended or (self._flooding and stream.fd not in events):
                continue
            most = max(most, stream.read())
            if self._flooding and stream.ended:
                self._poller.unregister(stream.fd)
        self._count_waiting(most)
        if most >= _MUCH and not self._flooding:
            self._flooding = True
            for stream in self._streams:
                if not stream.ended:
                    self._poller.register(stream.fd, select.POLLIN)

    def drain(self) -> None:
        """Read the rest of each, once every writer is gone."""
        self._count_waiting(max(stream.drain() for stream in self._streams))

    def _count_waiting(self, most: int) -> None:
        """`most`: how many bytes were read from one pipe."""
        before_ns, self._waited_ns = self._waited_ns, read_own_waited_ns()
        if most >= _PIPE_BYTES:
            self.kept_waiting_ns += self._waited_ns - before_ns


def pipe() -> tuple[int, int]:
    """(reader, writer) of a pipe. A program can open the writer again through /dev/stdout, but only for writing."""
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
