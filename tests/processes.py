"""The process table, as tests look at it."""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import suppress
from pathlib import Path


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


def _each(name: str) -> Iterator[Path]:
    """The file of this name of each process, which may have ended by now."""
    return (process / name for process in Path("/proc").iterdir() if process.name.isdigit())


def _by_parent() -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for path in _each("stat"):
        with suppress(OSError):  # it ended meanwhile
            parent = int(path.read_text(errors="replace").rpartition(")")[2].split()[1])
            found.setdefault(parent, set()).add(int(path.parent.name))
    return found


def called(name: str) -> int | None:
    """The process that has this for its name, wherever it was started from."""
    for path in _each("cmdline"):
        with suppress(OSError):  # it ended meanwhile
            if path.read_bytes().partition(b"\0")[0] == name.encode():
                return int(path.parent.name)
    return None


def of_users(uids: Container[int | None]) -> dict[int, int]:
    """Processes of these users, zombies too: number -> parent."""
    found = {}
    for path in _each("status"):
        try:
            lines = dict(line.split(":\t", 1) for line in path.read_text().splitlines() if ":\t" in line)
        except OSError:
            continue
        if int(lines["Uid"].split()[0]) in uids:
            found[int(path.parent.name)] = int(lines["PPid"])
    return found
