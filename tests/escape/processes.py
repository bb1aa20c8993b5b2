"""The process table, as the harness looks at it."""

from __future__ import annotations

from collections.abc import Container
from contextlib import suppress
from pathlib import Path


def descendants(pid: int) -> set[int]:
    """All processes below this one."""
    found: set[int] = set()
    with suppress(OSError):  # it ended meanwhile
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found |= {int(child)} | descendants(int(child))
    return found


def called(name: str) -> int | None:
    """The process that has this for its name, wherever it was started from."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it ended meanwhile
            if path.read_bytes().partition(b"\0")[0] == name.encode():
                return int(path.parent.name)
    return None


def of_users(uids: Container[int | None]) -> dict[int, int]:
    """Processes of these users, zombies too: number -> parent."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(line.split(":\t", 1) for line in path.read_text().splitlines() if ":\t" in line)
        except OSError:
            continue
        if int(lines["Uid"].split()[0]) in uids:
            found[int(path.parent.name)] = int(lines["PPid"])
    return found
