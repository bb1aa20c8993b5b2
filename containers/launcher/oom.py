"""Whether the kernel killed a run for want of memory that was not the run's.

Where a slot has a cgroup, the cgroup counts the kills inside it and the launcher looks. Elsewhere programs live in the
judge's own cgroup, whose counter tells of them. The counter of the whole machine is not asked: it also holds the kills
for every other limit, which another submission can cause at any time.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from containers.launcher.cgroup import own_memory

#: A count is read again before a run if it is older. A kill in this time before a run counts as one during it.
_STALE_S = 1.0
_KEY = b"\noom_kill "


class OomKills:
    """How many processes of the judge's cgroup the kernel killed. A program that kills itself does not add to it."""

    def __init__(self, *, ours: bool) -> None:
        """`ours`: runs live in the cgroup of this process. Else nothing is known of them."""
        directory = own_memory() if ours else None
        names = ("memory.events", "memory.oom_control")  # version 2, version 1
        self._paths = [] if directory is None else [directory / name for name in names]
        self._before: int | None = None
        self._read_s = -_STALE_S

    def begin(self) -> None:
        """Before a run."""
        now_s = time.monotonic()
        if now_s - self._read_s >= _STALE_S:
            self._before, self._read_s = self._count(), now_s

    def moved(self) -> bool:
        """Whether the kernel killed since `begin`. What was told once is not told again."""
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
