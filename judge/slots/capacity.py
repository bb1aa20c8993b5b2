"""Computes how many slots this machine carries: min(CPU affinity, cgroup CPU quota, memory / memory of one slot).

In a rented container `os.cpu_count()` tells the host's cores; the affinity mask and the cgroups tell ours. We read
every cgroup from ours up to the root, because any of them may have the tightest limit.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from problems.model import MIB

#: A program at the default memory limit, its output, and what the slot keeps. (Compiles take turns.)
SLOT_BYTES = (256 + 64 + 128) * MIB

_PROC = Path("/proc")
_CGROUPS = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    count: int
    #: What decided the number: "CPU affinity", "cgroup CPU quota" or "memory".
    bound_by: str
    affinity: int
    #: CPUs that the cgroups grant; None: unlimited.
    quota: float | None
    #: Memory that this machine or container can still use.
    memory_bytes: int

    @property
    def cores(self) -> int:
        """How many programs can run at a time, each on a core of its own."""
        return max(1, self.affinity if self.quota is None else min(self.affinity, int(self.quota)))

    def __str__(self) -> str:
        quota = "no CPU quota" if self.quota is None else f"CPU quota {self.quota:g}"
        memory = f"{self.memory_bytes // MIB} MiB available"
        return f"{self.count}, bound by {self.bound_by} (affinity {self.affinity}, {quota}, {memory})"


def available(
    budget_bytes: int | None = None, *, slot_bytes: int = SLOT_BYTES, proc: Path = _PROC, cgroups: Path = _CGROUPS
) -> Slots:
    """Ask this machine how many slots it carries, within `budget_bytes` of memory. `proc` and `cgroups` are the mount
    points of those file systems."""
    affinity = len(os.sched_getaffinity(0))
    quotas = []
    memories = [_find_available(proc)]
    for directory in _own_cgroups(proc, cgroups):
        quotas += [quota] if (quota := _quota(directory)) is not None else []
        memories += [free] if (free := _headroom(directory)) is not None else []
    quota, memory = min(quotas, default=None), min(memories)
    bounds = [("CPU affinity", affinity)]
    if quota is not None:
        bounds.append(("cgroup CPU quota", int(quota)))
    bounds.append(("memory", min(memory, budget_bytes or memory) // slot_bytes))
    name, count = min(bounds, key=lambda bound: bound[1])
    return Slots(count=max(1, count), bound_by=name, affinity=affinity, quota=quota, memory_bytes=memory)


def _find_available(proc: Path) -> int:
    """The machine's memory that programs can still get, in bytes."""
    facts = dict(line.split(":", 1) for line in _text(proc / "meminfo").splitlines())
    try:
        total, left = (int(facts[name].split()[0]) for name in ("MemTotal", "MemAvailable"))
    except (KeyError, ValueError):
        left = total = 0
    if 0 < left <= total:
        return left * 1024
    # Some containers show something else there. psutil knows them, and takes 10 ms to import.
    from psutil import virtual_memory  # noqa: PLC0415

    return int(virtual_memory().available)


def _own_cgroups(proc: Path, cgroups: Path) -> Iterator[Path]:
    """The directories of our cgroups and of all their parents, in every hierarchy that is mounted."""
    for line in _text(proc / "self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        roots = (cgroups, cgroups / "unified") if not controllers else (cgroups / controllers,)
        for root in roots:
            below = root / path.strip("/")
            # In a container without its own cgroup namespace the path is the host's; the mount's root is our cgroup.
            yield from dict.fromkeys((below, *(up for up in below.parents if up.is_relative_to(root)), root))


def _quota(directory: Path) -> float | None:
    if words := _text(directory / "cpu.max").split():  # v2
        return None if words[0] == "max" else int(words[0]) / int(words[1])
    quota, period = _number(directory / "cpu.cfs_quota_us"), _number(directory / "cpu.cfs_period_us")  # v1
    return quota / period if quota is not None and quota > 0 and period else None


def _headroom(directory: Path) -> int | None:
    """Limit less use, in bytes. File cache that the kernel can drop counts as free. None: no limit."""
    # memory.high is a limit, too: above it the kernel slows everything down.
    limits = [limit for name in ("memory.max", "memory.high") if (limit := _number(directory / name)) is not None]
    limit, used = min(limits, default=None), _number(directory / "memory.current")
    if limit is None:
        limit, used = _number(directory / "memory.limit_in_bytes"), _number(directory / "memory.usage_in_bytes")
    if limit is None or used is None or limit >= 1 << 60:  # v1 says "unlimited" with a number near 2**63
        return None
    cache = 0
    for line in _text(directory / "memory.stat").splitlines():
        key, _, value = line.partition(" ")
        if key in ("inactive_file", "total_inactive_file"):
            cache = max(cache, int(value))
    return max(0, limit - used + cache)


def _number(path: Path) -> int | None:
    text = _text(path).strip()
    return int(text) if text.lstrip("-").isdigit() else None


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
