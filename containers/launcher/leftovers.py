"""Takes back what earlier runs left charged to a slot's cgroup: entries of looked-up names (also of files that do not
exist), inodes, page cache. The kernel takes that back itself when room is needed: at the cost of the next run's CPU
time, and of its peak. So we do, before that run begins."""

from __future__ import annotations

import errno
import time
from contextlib import suppress
from pathlib import Path

#: Kernel memory is slow to take back: no more of the next run's limit than this part may be left so.
_KERNEL_SHARE = 16
#: Page cache is not, and to read a toolchain's files again is slower.
_ALL_SHARE = 2
#: The last of it is freed when no processor can be reading it any more (RCU): how often we look, and the pause.
_TRIES, _PAUSE_S = 50, 0.002
#: A file that holds nothing else; in memory.stat since Linux 5.18, and before.
_NAMES = ("", "kernel", "slab")


class Leftovers:
    """Those of one slot."""

    def __init__(self, version: int, memory: Path) -> None:
        v2 = version == 2
        self._kernel = memory / ("memory.stat" if v2 else "memory.kmem.usage_in_bytes")
        self._all = memory / ("memory.current" if v2 else "memory.usage_in_bytes")
        self._empty = memory / ("memory.reclaim" if v2 else "memory.force_empty")
        #: Of the last run; None: unknown.
        self._peak_bytes: int | None = 0

    def note_peak(self, peak_bytes: int) -> None:
        """`peak_bytes`: what a run reports; 0: the kernel does not tell."""
        self._peak_bytes = peak_bytes or None

    def take_back(self, limit_bytes: int) -> int:
        """Before a run with this limit. Returns what is left in bytes, if that is much; else 0."""
        if self._peak_bytes is not None and self._peak_bytes <= limit_bytes // _KERNEL_SHARE:
            return 0  # nor can so much be left
        for tries in range(_TRIES):
            left = self._measure(limit_bytes)
            # The second time: at first the stub may be at taking down the last run's directory, which is charged, too.
            if left == 0 or (tries == 1 and not self._reclaim(limit_bytes)):
                return left
            time.sleep(_PAUSE_S)
        return left

    def _measure(self, limit_bytes: int) -> int:
        """What was left; 0: little."""
        kernel = _read(self._kernel)
        if kernel > limit_bytes // _KERNEL_SHARE:
            return kernel
        everything = _read(self._all)
        return everything if everything > limit_bytes // _ALL_SHARE else 0

    def _reclaim(self, limit_bytes: int) -> bool:
        """Whether the kernel took something back."""
        try:
            self._empty.write_text(str(limit_bytes))
        except OSError as error:
            return error.errno == errno.EAGAIN  # some of it was not to be had
        return True


def _read(path: Path) -> int:
    """The number in a file, or of its line about the kernel's memory; 0: this kernel has none."""
    with suppress(OSError):
        lines = [line.split() for line in path.read_text().splitlines()]
        numbers = {line[0] if len(line) > 1 else "": int(line[-1]) for line in lines}
        return next((numbers[name] for name in _NAMES if name in numbers), 0)
    return 0
