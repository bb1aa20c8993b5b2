"""Tells whether the kernel killed a run because memory ran out elsewhere, not because of the run's own limit.

Where a slot has a cgroup, the cgroup counts the kills inside it, and the launcher reads it. Elsewhere programs live in
the judge's own cgroup, and we read its counter. We do not read the counter of the whole machine: it also counts kills
for every other limit, which another submission can cause at any time.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from containers.launcher.cgroup import own_memory

#: Before a run we read the counter again if the last reading is older. A kill that long before a run counts as its own.
_STALE_S = 1.0
_KEY = b"\noom_kill "


class OomKills:
    """Counts the processes of the judge's cgroup that the kernel killed. A program that kills itself does not count."""

    def __init__(self, *, ours: bool) -> None:
        """`ours`: runs live in the cgroup of this process. If not, nothing is known, and `has_moved` is False."""
        directory = own_memory() if ours else None
        names = ("memory.events", "memory.oom_control")  # version 2, version 1
        self._paths = [] if directory is None else [directory / name for name in names]
        self._before: int | None = None
        self._read_s = -_STALE_S

    def begin(self) -> None:
        """Call before a run."""
        now_s = time.monotonic()
        if now_s - self._read_s >= _STALE_S:
            self._before, self._read_s = self._count(), now_s

    def has_moved(self) -> bool:
        """Whether the kernel killed since `begin`, or since the last call."""
        before, self._before = self._before, self._count()
        self._read_s = time.monotonic()
        return before is not None and self._before is not None and self._before > before

    def _count(self) -> int | None:
        for path in self._paths:
            with suppress(OSError):
                fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                try:
                    text = b"\n" + os.pread(fd, 1 << 16, 0)
                finally:
                    os.close(fd)
                _, found, rest = text.partition(_KEY)
                if found:
                    return int(rest.split(maxsplit=1)[0])
        return None
