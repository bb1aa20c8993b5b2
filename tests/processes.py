"""The process table, as tests look at it."""

from __future__ import annotations

from collections.abc import Container

import psutil


def children(pid: int) -> set[int]:
    """Processes that have this one for their parent, zombies too. By everybody's parent:
    /proc/<pid>/task/<tid>/children may leave some out while processes come and go."""
    return _by_parent().get(pid, set())


def descendants(pid: int) -> set[int]:
    """All processes below this one."""
    below, found, left = _by_parent(), set(), [pid]
    while left:
        new = below.get(left.pop(), set()) - found
        found |= new
        left += new
    return found


def _by_parent() -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for process in psutil.process_iter(["ppid"]):
        found.setdefault(process.info["ppid"], set()).add(process.pid)
    return found


def called(name: str) -> int | None:
    """The process that has this for its name, wherever it was started from."""
    named = (
        process.pid for process in psutil.process_iter(["cmdline"]) if (process.info["cmdline"] or [""])[0] == name
    )
    return next(named, None)


def of_users(uids: Container[int | None]) -> dict[int, int]:
    """Processes of these users, zombies too: number -> parent."""
    processes = psutil.process_iter(["uids", "ppid"])
    return {process.pid: process.info["ppid"] for process in processes if process.info["uids"].real in uids}
