"""The resource limits of a run, which its process sets on itself (src/walls.c)."""

from __future__ import annotations

import resource
from functools import cache
from pathlib import Path
from typing import NamedTuple

from containers.spec import RunLimits

_SECOND_NS = 1_000_000_000


class Limit(NamedTuple):
    """`struct limit` of src/wire.h."""

    resource: int
    soft: int
    hard: int
    #: The filter refuses what it bounds too: may be one that the kernel does not keep (gVisor).
    optional: bool = False


@cache
def core_soft() -> int:
    """The core limit that prevents dumps. With a piped core_pattern the kernel starts the handler at 0, not at 1."""
    try:
        return 1 if Path("/proc/sys/kernel/core_pattern").read_text().startswith("|") else 0
    except OSError:
        return 0


def _cpu(limits: RunLimits) -> Limit | None:
    """The backstop of the CPU timer; and that one sees the first process alone: this is the limit of each other one.
    Some kernels count by ticks, and reach the limit after five sixths of the time: so a third is added."""
    if not limits.cpu_ns:
        return None
    hard = (limits.cpu_ns + limits.cpu_ns // 3 - 1) // _SECOND_NS + 3
    # Of a process that was ended by SIGXCPU, compilers tell.
    return Limit(resource.RLIMIT_CPU, hard - (limits.processes > 0), hard)


def make_limits(limits: RunLimits, *, stack_bytes: int, data_bytes: int, tasks: int, core: int) -> list[Limit]:
    """`data_bytes` and `tasks`: 0 where something else bounds them. `core`: `core_soft`."""

    def same(which: int, value: int, *, optional: bool = False) -> Limit:
        return Limit(which, value, value, optional)

    found = (
        same(resource.RLIMIT_CORE, core),
        _cpu(limits),
        same(resource.RLIMIT_FSIZE, limits.directory_bytes),
        same(resource.RLIMIT_NOFILE, limits.open_files),
        same(resource.RLIMIT_STACK, stack_bytes),
        same(resource.RLIMIT_DATA, data_bytes) if data_bytes else None,
        same(resource.RLIMIT_NPROC, tasks) if tasks else None,
        same(resource.RLIMIT_MEMLOCK, 64 * 1024),
        same(resource.RLIMIT_MSGQUEUE, 0, optional=True),
        same(resource.RLIMIT_NICE, 0, optional=True),
        same(resource.RLIMIT_RTPRIO, 0, optional=True),
        same(resource.RLIMIT_SIGPENDING, 256, optional=True),
    )
    return [limit for limit in found if limit]
