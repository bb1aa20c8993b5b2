"""How many slots, on machines that are described by files."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from judge.slots.capacity import available

GIB = 1024**3


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Eight cores and plenty of memory."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    free(monkeypatch, 64 * GIB)
    write(tmp_path, "proc/self/cgroup", "")
    return tmp_path


def free(monkeypatch: pytest.MonkeyPatch, bytes_: int) -> None:
    """So much memory is available."""
    found = psutil.virtual_memory()._replace(available=bytes_)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: found)


def test_available_memory_is_read_as_the_kernel_tells_it(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 7 * GIB)
    told = "MemTotal: {} kB\nMemFree: 1 kB\nMemAvailable: {} kB\n"
    for total, left, expected in ((8 << 20, 3 << 20, 3), (8 << 20, 9 << 20, 7), (8 << 20, 0, 7)):
        write(machine, "proc/meminfo", told.format(total, left))
        assert ask(machine) == (expected, "memory"), "what cannot be is asked of psutil"


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def ask(machine: Path) -> tuple[int, str]:
    slots = available(slot_bytes=GIB, proc=machine / "proc", cgroups=machine / "cgroup")
    return slots.count, slots.bound_by


def test_affinity(machine: Path) -> None:
    assert ask(machine) == (8, "CPU affinity")


def test_available_memory(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 3 * GIB)
    assert ask(machine) == (3, "memory")


def test_no_more_than_the_budget(machine: Path) -> None:
    slots = available(3 * GIB, slot_bytes=GIB, proc=machine / "proc", cgroups=machine / "cgroup")
    assert (slots.count, slots.bound_by, slots.memory_bytes) == (3, "memory", 64 * GIB)


def test_never_none(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 1 << 20)
    assert ask(machine) == (1, "memory")


def test_v2_quota_of_a_cgroup_above_ours(machine: Path) -> None:
    write(machine, "proc/self/cgroup", "0::/pod/container\n")
    write(machine, "cgroup/pod/container/cpu.max", "max 100000\n")
    write(machine, "cgroup/pod/cpu.max", "250000 100000\n")
    assert ask(machine) == (2, "cgroup CPU quota")


def test_v2_memory_less_what_is_used_plus_droppable_cache(machine: Path) -> None:
    write(machine, "proc/self/cgroup", "0::/\n")
    write(machine, "cgroup/memory.max", f"{8 * GIB}\n")
    write(machine, "cgroup/memory.current", f"{6 * GIB}\n")
    write(machine, "cgroup/memory.stat", f"anon 5\ninactive_file {3 * GIB}\n")
    assert ask(machine) == (5, "memory")


def test_v1(machine: Path) -> None:
    write(machine, "proc/self/cgroup", "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n")
    write(machine, "cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n")  # the container's own mount
    write(machine, "cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n")
    write(machine, "cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
    write(machine, "cgroup/memory/memory.usage_in_bytes", "1000\n")
    assert ask(machine) == (3, "cgroup CPU quota")


def test_v1_unlimited_quota(machine: Path) -> None:
    write(machine, "proc/self/cgroup", "3:cpu:/\n")
    write(machine, "cgroup/cpu/cpu.cfs_quota_us", "-1\n")
    write(machine, "cgroup/cpu/cpu.cfs_period_us", "100000\n")
    assert ask(machine) == (8, "CPU affinity")


def test_this_machine() -> None:
    slots = available()
    assert slots.count >= 1
    assert slots.bound_by in str(slots)
