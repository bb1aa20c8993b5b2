"""Side effects: what must be the same before and after an attack.

Other judges, tests and people use this machine at the same time: only what belongs to us, to users of our slots, or
bears the attacks' mark is looked at.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from pathlib import Path

from containers.launcher.uids import LEASES
from containers.launcher.waited import read_own_waited_ns
from judge.selftest.canaries import SYSV_KEYS, Canaries, sysv
from tests.processes import descendants, of_users

_PLACES = tuple(map(Path, ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/run/lock", "/usr/local")))
_RLIMITS = 16
_SETTLE_TRIES, _SETTLE_PAUSE_S = 100, 0.02


class Watch:
    """Taken before an attack; `found` afterwards."""

    def __init__(self, canaries: Canaries) -> None:
        self._canaries = canaries
        self._homes: set[str] = set()
        self._users: set[int] = set()
        canaries.find_reached()
        read_own_waited_ns()  # this thread keeps its descriptor
        self._before = self._state()

    def opened(self) -> None:
        """Slots are open: their directories and their users are known by the locks that we hold on them. What those
        users may have left earlier is not this attack's."""
        held = {_target(link) for link in Path("/proc/self/fd").iterdir()}
        self._homes = {path for path in held if path.startswith("/tmp/judge-slot-")}
        self._users = {int(Path(path).name) for path in held if Path(path).parent.name == LEASES}
        self._before |= self._of_users()

    def found(self) -> list[str]:
        """What is not as it was. What only takes a moment to end is given the moment."""
        for _ in range(_SETTLE_TRIES):
            after = self._state()
            changed = [name for name in self._before if self._before[name] != after[name]]
            if not changed:
                break
            time.sleep(_SETTLE_PAUSE_S)
        words = [f"{name} changed: {self._before[name]!r} -> {after[name]!r}" for name in changed]
        return words + [f"something came in at the socket {name}" for name in self._canaries.find_reached()]

    def _state(self) -> dict[str, object]:
        return {
            **{f"canary {name}": state for name, state in self._canaries.state().items()},
            **{name: look() for name, look in _LOOKS.items()},
            **self._of_users(),
            "directories of slots": sorted(home for home in self._homes if Path(home).exists()),
            "host name": os.uname()[1],
            "clock": round((time.time() - time.monotonic()) / 2),
        }

    def _of_users(self) -> dict[str, object]:
        return {
            "orphans": _orphans(self._users),
            "files left": _left(self._canaries.mark, self._users),
            "System V objects": _ours_in_sysv(self._users),
            "keys": _keys(self._users),
        }


def _left(mark: str, users: set[int]) -> list[str]:
    """Names with the attacks' mark, or of slots' users, where everybody may write."""
    found = []
    for place in (*_PLACES, Path.cwd(), Path.home()):
        try:
            entries = list(os.scandir(place))
        except OSError:
            continue
        for entry in entries:
            try:
                owner = entry.stat(follow_symlinks=False).st_uid
            except OSError:
                continue
            if mark in entry.name or owner in users:
                found.append(entry.path)
    return sorted(found)


def _ours_in_sysv(users: set[int]) -> list[str]:
    """Objects of slots' users, or ours that are no canaries."""
    lines = [(kind, line.split()) for kind in ("shm", "sem", "msg") for line in sysv(kind)]
    owners = {"shm": 7, "sem": 4, "msg": 7}
    return sorted(
        f"{kind} {' '.join(fields[:2])}"
        for kind, fields in lines
        if int(fields[0]) >> 16 != SYSV_KEYS
        and (int(fields[owners[kind]]) in users or int(fields[owners[kind]]) == os.geteuid())
    )


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # the descriptor that listed them
        return ""


def _orphans(users: set[int]) -> list[int]:
    """Processes of slots' users whose parent went away: a judge's have one. (Where we lease none, an attack's user is
    ours, and only what bears its name is known.)"""
    if os.geteuid() == 0:
        return sorted(pid for pid, parent in of_users(users).items() if parent == 1)
    found = (pid for pid, parent in of_users((os.geteuid(),)).items() if parent == 1)
    return sorted(pid for pid in found if _command(pid) == b"attack")


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().partition(b"\0")[0]
    except OSError:
        return b""


def _mounts() -> list[str]:
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return sorted(line.split()[4] for line in lines if " - tmpfs none " in line or "/box" in line or "judge" in line)


def _cgroups() -> list[str]:
    found = [Path(directory, name) for directory, names, _ in os.walk("/sys/fs/cgroup") for name in names]
    return sorted(str(path) for path in found if path.name.startswith(f"judge-{os.getpid()}-"))


def _keys(users: set[int]) -> list[str]:
    try:
        lines = Path("/proc/keys").read_text().splitlines()
    except OSError:
        return []
    return sorted(line.split()[0] for line in lines if int(line.split()[5]) in users)


def _process() -> object:
    """What another process could change of this one."""
    return (
        [resource.getrlimit(number) for number in range(_RLIMITS)],
        os.getpriority(os.PRIO_PROCESS, 0),
        sorted(os.sched_getaffinity(0)),
        os.sched_getscheduler(0),
        Path("/proc/self/oom_score_adj").read_text(),
        Path.cwd(),
    )


_LOOKS: dict[str, Callable[[], object]] = {
    "processes below this one": lambda: sorted(descendants(os.getpid())),
    "mounts": _mounts,
    "cgroups": _cgroups,
    "this process": _process,
    "descriptors": lambda: sum(1 for _ in Path("/proc/self/fd").iterdir()),
}
