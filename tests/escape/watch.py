"""Side effects: what must be the same before and after an attack.

Other judges, tests and people use this machine at the same time: only what belongs to us, to users that slots lease, or
bears the attacks' mark is looked at.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from pathlib import Path

from containers.native.uids import _COUNT, _FIRST
from judge.selftest.canaries import SYSV_KEYS, Canaries, sysv
from tests.escape.processes import descendants, of_users

_LEASED = range(_FIRST, _FIRST + _COUNT)
_PLACES = tuple(map(Path, ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/run/lock", "/usr/local")))
_RLIMITS = 16
_SETTLE_TRIES, _SETTLE_PAUSE_S = 100, 0.02


class Watch:
    """Taken before an attack; `found` afterwards."""

    def __init__(self, canaries: Canaries) -> None:
        self._canaries = canaries
        self._homes: set[str] = set()
        canaries.reached()
        self._orphans = set(_orphans())  # other judges', which may end meanwhile
        self._before = self._state()

    def opened(self) -> None:
        """Slots are open: their directories are known by the locks that we hold on them."""
        links = Path("/proc/self/fd").iterdir()
        self._homes = {target for target in map(_target, links) if target.startswith("/tmp/judge-slot-")}

    def found(self) -> list[str]:
        """What is not as it was. What only takes a moment to end is given the moment."""
        for _ in range(_SETTLE_TRIES):
            after = self._state()
            changed = [name for name in self._before if self._before[name] != after[name]]
            if not changed:
                break
            time.sleep(_SETTLE_PAUSE_S)
        words = [f"{name} changed: {self._before[name]!r} -> {after[name]!r}" for name in changed]
        return words + [f"something came in at the socket {name}" for name in self._canaries.reached()]

    def _state(self) -> dict[str, object]:
        return {
            **{f"canary {name}": state for name, state in self._canaries.state().items()},
            **{name: look() for name, look in _LOOKS.items()},
            "orphans": sorted(set(_orphans()) - self._orphans),
            "files left": sorted(_left(self._canaries.mark)),
            "directories of slots": sorted(home for home in self._homes if Path(home).exists()),
            "host name": os.uname()[1],
            "clock": round((time.time() - time.monotonic()) / 2),
        }


def _left(mark: str) -> list[str]:
    """Names with the attacks' mark, or of leased users, where everybody may write."""
    found = []
    for place in (*_PLACES, Path.cwd(), Path.home()):
        try:
            entries = list(os.scandir(place))
        except OSError:
            continue
        for entry in entries:
            try:
                leased = entry.stat(follow_symlinks=False).st_uid in _LEASED
            except OSError:
                continue
            if mark in entry.name or leased:
                found.append(entry.path)
    return found


def _ours_in_sysv() -> list[str]:
    """Objects of leased users, or ours that are no canaries."""
    lines = [(kind, line.split()) for kind in ("shm", "sem", "msg") for line in sysv(kind)]
    owners = {"shm": 7, "sem": 4, "msg": 7}
    return sorted(
        f"{kind} {' '.join(fields[:2])}"
        for kind, fields in lines
        if int(fields[0]) >> 16 != SYSV_KEYS
        and (int(fields[owners[kind]]) in _LEASED or int(fields[owners[kind]]) == os.geteuid())
    )


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # the descriptor that listed them
        return ""


def _orphans() -> list[int]:
    """Processes of leased users whose parent went away: a judge's have one. (Where we lease none, an attack's user is
    ours, and only what bears its name is known.)"""
    if os.geteuid() == 0:
        return sorted(pid for pid, parent in of_users(_LEASED).items() if parent == 1)
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


def _keys() -> list[str]:
    try:
        lines = Path("/proc/keys").read_text().splitlines()
    except OSError:
        return []
    return sorted(line.split()[0] for line in lines if int(line.split()[5]) in _LEASED)


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
    "System V objects": _ours_in_sysv,
    "keys": _keys,
    "this process": _process,
    "descriptors": lambda: sum(1 for _ in Path("/proc/self/fd").iterdir()),
}
