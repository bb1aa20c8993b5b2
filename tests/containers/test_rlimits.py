"""Which resource limits a run's process sets on itself."""

from __future__ import annotations

import resource
from dataclasses import replace

import pytest

from containers import RunLimits
from containers.launcher.rlimits import make_limits

LIMITS = RunLimits(cpu_ns=1_500_000_000, wall_ns=3_000_000_000, memory_bytes=256 << 20)
ALWAYS = {
    "CORE": (1, 1),
    "FSIZE": (LIMITS.directory_bytes, LIMITS.directory_bytes),
    "NOFILE": (LIMITS.open_files, LIMITS.open_files),
    "STACK": (9, 9),
    "MEMLOCK": (1 << 16, 1 << 16),
    "MSGQUEUE": (0, 0),
    "NICE": (0, 0),
    "RTPRIO": (0, 0),
    "SIGPENDING": (256, 256),
}


@pytest.mark.parametrize(
    ("limits", "more", "wanted"),
    [
        (LIMITS, {}, {"CPU": (4, 4)}),
        (replace(LIMITS, processes=3), {}, {"CPU": (3, 4)}),
        (replace(LIMITS, cpu_ns=750_000_000), {}, {"CPU": (3, 3)}),
        (replace(LIMITS, cpu_ns=751_000_000), {}, {"CPU": (4, 4)}),
        (replace(LIMITS, cpu_ns=None), {"data_bytes": 7, "tasks": 5}, {"DATA": (7, 7), "NPROC": (5, 5)}),
    ],
    ids=["one process", "several", "with a third", "and more", "what nothing else bounds"],
)
def test_limits_are_hard_and_soft(limits: RunLimits, more: dict[str, int], wanted: dict[str, tuple[int, int]]) -> None:
    """Of several processes each is warned (SIGXCPU) before it is ended: compilers tell of that."""
    found = make_limits(limits, **{"stack_bytes": 9, "data_bytes": 0, "tasks": 0, "core": 1} | more)
    named = {name: (limit.soft, limit.hard) for name in NAMES for limit in found if limit.resource == number(name)}
    assert named == ALWAYS | wanted
    assert len(found) == len(named)
    assert {limit.resource for limit in found if limit.optional} == {
        number(name) for name in ("MSGQUEUE", "NICE", "RTPRIO", "SIGPENDING")
    }


NAMES = [*ALWAYS, "CPU", "DATA", "NPROC"]


def number(name: str) -> int:
    return int(getattr(resource, f"RLIMIT_{name}"))
