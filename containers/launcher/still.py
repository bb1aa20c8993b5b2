"""Tells whether a run stands still: it computes nothing, and waits for no core.

The kernel says so, read from outside. No task of the run is on a core or waits for one. Since the last look all of them
together computed, and waited for a core, for next to no time. A run that begins again after that has to stand still for
twice as long before it is believed: so it changes only a few times, however long it runs.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress

#: The time between two looks, and the most of it that a look may take: one part of so many.
_LOOK_NS = 100_000_000
_DEAR = 20
#: Below this part of one core it stands still: a runtime's own threads look about now and then.
_PART = 20


class Stillness:
    """Looks at one run from time to time."""

    def __init__(self, launcher: int, tell: Callable[[bool], None]) -> None:
        """`launcher`: the process below whose stub the run is. `tell`: called when the answer has changed."""
        self._launcher, self._tell = launcher, tell
        self._looked_ns = time.monotonic_ns()
        #: When the next look is due.
        self.due_ns = self._looked_ns + _LOOK_NS
        self._before: dict[str, int] = {}
        self._quiet_ns, self._needed_ns = 0, _LOOK_NS
        self._still = False
        #: For how long it has stood still in all.
        self.total_ns = 0

    def look(self) -> None:
        """Look, if that is due."""
        now_ns = time.monotonic_ns()
        if now_ns < self.due_ns:
            return
        passed_ns, self._looked_ns = now_ns - self._looked_ns, now_ns
        tasks = _read_tasks(self._launcher)
        self.due_ns = now_ns + max(_LOOK_NS, _DEAR * (time.monotonic_ns() - now_ns))
        if tasks and _moved_ns(self._before, tasks) <= passed_ns // _PART:
            self._quiet_ns += passed_ns
            self.total_ns += passed_ns
        else:
            self._quiet_ns = 0
        self._before = tasks
        still = self._quiet_ns >= (1 if self._still else self._needed_ns)
        if still is self._still:
            return
        self._still = still
        if not still:
            self._needed_ns *= 2
        self._tell(still)


def _moved_ns(before: dict[str, int], now: dict[str, int]) -> int:
    """By how much all together went on. A task that is new counts in full."""
    return sum(max(0, used_ns - before.get(task, 0)) for task, used_ns in now.items())


def _read_tasks(launcher: int) -> dict[str, int]:
    """How long each task of the run has computed, and waited for a core. Empty: one of them does either just now, or
    the kernel does not tell."""
    found: dict[str, int] = {}
    with suppress(OSError, ValueError):  # one of them has just ended, or it is no file of this kernel
        stubs = [stub for path in _tasks(launcher) for stub in _read(path, "children").split()]
        left = [process for stub in stubs for path in _tasks(stub) for process in _read(path, "children").split()]
        while left:
            for path in _tasks(left.pop()):
                if _read(path, "stat").rpartition(")")[2].split()[0] == "R":
                    return {}
                computed, waited = _read(path, "schedstat").split()[:2]
                found[path] = int(computed) + int(waited)
                left += _read(path, "children").split()
        return found
    return {}


def _tasks(process: int | str) -> list[str]:
    directory = f"/proc/{process}/task"
    return [f"{directory}/{name}" for name in os.listdir(directory)]  # noqa: PTH208 - at each look


def _read(path: str, name: str) -> str:
    with open(f"{path}/{name}", encoding="ascii", errors="replace") as file:  # noqa: PTH123 - as above
        return file.read()
