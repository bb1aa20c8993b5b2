"""How long a thread or a process of ours has waited for a core, as the kernel counts it."""

from __future__ import annotations

import os
import threading
from contextlib import suppress


class _Schedstat:
    """The kernel's count of one thread, held open: opening it takes ten times as long as reading."""

    def __init__(self, task: int | str) -> None:
        self.process = os.getpid()
        self._fd = -1
        with suppress(OSError):  # a kernel without it
            self._fd = os.open(f"/proc/{task}/schedstat", os.O_RDONLY | os.O_CLOEXEC)

    def __del__(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)

    def read_waited_ns(self) -> int:
        with suppress(OSError, IndexError, ValueError):  # none, or its process has ended
            return int(os.pread(self._fd, 100, 0).split()[1])
        return 0


class _Own(threading.local):
    counter: _Schedstat | None = None


_own = _Own()


def read_own_waited_ns() -> int:
    """Of this thread, in nanoseconds. 0: the kernel does not tell."""
    counter = _own.counter
    if counter is None or counter.process != os.getpid():  # or after a fork
        counter = _own.counter = _Schedstat("thread-self")
    return counter.read_waited_ns()


def read_waited_ns(process: int) -> int:
    """Of the main thread of a process, in nanoseconds. 0: the kernel does not tell."""
    return _Schedstat(process).read_waited_ns()
