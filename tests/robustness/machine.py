"""Judges of any tier, and what they may leave on this machine."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from containers import Sandbox
from containers.launcher import slot_directory
from judge.many import local
from tests.containers.conformance.test_lifecycle import ended
from tests.containers.variants import VARIANTS
from tests.processes import descendants


def use(tier: str, place: Path, patch: pytest.MonkeyPatch) -> None:
    """Judges of this process open slots of the tier; where these need directories, they are made in `place`."""

    def opened(*_: object, hide: Sequence[Path] = (), **__: object) -> Sandbox:
        return VARIANTS[tier].open(hide=tuple(hide))

    patch.setattr(local, "open_sandbox", opened)
    patch.setattr(slot_directory, "_PLACE", place)


def cgroups(pid: int) -> set[Path]:
    """By a walk that minds no directory that goes meanwhile: other judges' come and go."""
    walk = os.walk("/sys/fs/cgroup")
    return {Path(top, name) for top, names, _ in walk for name in names if name.startswith(f"judge-{pid}-")}


def locks(pid: int) -> set[str]:
    """Leases of user ids and directories are locks, and what of a compile cache is in use."""
    lines = (line.split()[1:] for line in Path("/proc/locks").read_text().splitlines())  # without their numbers
    return {" ".join(line) for line in lines if line[3] == str(pid)}


def standing_in(place: Path) -> list[int]:
    processes = psutil.process_iter(["cwd"])
    return [each.pid for each in processes if each.info["cwd"] and Path(each.info["cwd"]).is_relative_to(place)]


@dataclass(frozen=True)
class Others:
    """What a process has of judges that other tests share."""

    processes: frozenset[int] = frozenset()
    cgroups: frozenset[Path] = frozenset()
    locks: frozenset[str] = frozenset()

    @classmethod
    def of(cls, pid: int) -> Others:
        return cls(frozenset(descendants(pid)), frozenset(cgroups(pid)), frozenset(locks(pid)))


def remains(pid: int, place: Path, seen: set[int], others: Others = Others()) -> dict[str, object]:
    """What is left of a judge that was closed, or is gone; `seen` are processes that it had. Waits for the kernel."""
    for _ in range(500):
        left = {
            "processes": [other for other in seen if not ended(other)]
            + sorted(descendants(pid) - others.processes)
            + standing_in(place),
            "cgroups": cgroups(pid) - others.cgroups,
            "directories": list(place.iterdir()),
            "locks": locks(pid) - others.locks,
        }
        if not any(left.values()):
            break
        time.sleep(0.01)
    return {what: which for what, which in left.items() if which}


def kind(pid: int) -> str:
    """What a descendant of this process is, by its place: a launcher is its child, a stub a launcher's, and so on."""
    try:
        above = [each.pid for each in psutil.Process(pid).parents()]
        depth = above.index(os.getpid()) + 1
    except (psutil.Error, ValueError) as error:
        raise ProcessLookupError from error
    return ("launcher", "stub", "program")[min(depth, 3) - 1]
