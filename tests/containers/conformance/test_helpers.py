"""What the launcher and its stub may do themselves, as the kernel tells it of them: src/powers.c."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from containers import Sandbox
from containers.launcher.filters.helper import helper_program
from containers.launcher.filters.table import machine
from tests.containers.conformance.conftest import Probe, Variant
from tests.containers.conformance.test_files import sleeping
from tests.containers.variants import granted
from tests.processes import children

#: Bits of capabilities: linux/capability.h.
CHOWN, KILL, SETGID, SETUID, SYS_ADMIN, SYS_RESOURCE = (1 << number for number in (0, 5, 6, 7, 21, 24))
OF_OTHER_USERS = CHOWN | KILL | SETGID | SETUID | SYS_RESOURCE


def kept(tier: str) -> int:
    """What the helpers keep, of what this process has."""
    if tier == "userns":
        return SYS_ADMIN  # of its user namespace
    if tier == "full":
        return (SYS_ADMIN | OF_OTHER_USERS) & status(os.getpid())["CapPrm"] if os.geteuid() == 0 else SYS_ADMIN
    return OF_OTHER_USERS & status(os.getpid())["CapPrm"] if tier.startswith("restricted") else 0


def status(pid: int) -> dict[str, int]:
    """Its sets of capabilities, its filters, and the users that it is: really, effectively, and for files."""
    lines = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
    found = {name: int(value, 16) for name, value in lines.items() if name.startswith("Cap")}
    found["parent"], found["filters"] = int(lines["PPid"]), int(lines.get("Seccomp_filters", "0"))  # Linux 5.9
    found["real"], found["effective"], _, found["files"] = map(int, lines["Uid"].split())
    return found


def check(tier: str, pid: int, permitted: int, effective: int, files: int | None = None) -> None:
    found = status(pid)
    assert found["CapInh"] == found["CapAmb"] == 0
    # An ordinary user may not lower it, and can have nothing of it: no set-uid program is executed (no_new_privs).
    assert found["CapBnd"] == 0 or tier.startswith("restricted-user")
    assert (f"{found['CapPrm']:x}", f"{found['CapEff']:x}") == (f"{permitted:x}", f"{effective:x}")
    assert found["files"] == (found["effective"] if files is None else files)


def soon(holds: Callable[[], int]) -> int:
    """What it gives once it holds: a phase begins a moment after what it is for."""
    deadline = time.monotonic() + 20
    while True:
        try:
            return holds()
        except (AssertionError, OSError, ValueError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def check_phases(tier: str, program: int) -> int:
    """While a program runs; the launcher."""
    return soon(lambda: _check_phases(tier, program))


def _check_phases(tier: str, program: int) -> int:
    has, user = kept(tier), status(program)["real"]
    stub = status(program)["parent"]
    launcher = status(stub)["parent"]
    check(tier, program, 0, 0)
    check(tier, stub, has, has & KILL, user)
    check(tier, launcher, has, has & SYS_ADMIN)
    # Where nobody else adds one, each has the launcher's, and the program its own.
    filters = [status(pid)["filters"] for pid in (launcher, stub, program)]
    own = status(os.getpid())["filters"] + 1 if tier.startswith(("full", "userns", "restricted")) else filters[0]
    assert filters == [own, own, own + 1]
    assert own > 0
    return launcher


def check_waiting(tier: str, launcher: int) -> None:
    """When it has ended, and its stub, or a new one, waits for the next."""
    soon(lambda: _check_waiting(tier, launcher))


def _check_waiting(tier: str, launcher: int) -> int:
    (stub,) = children(launcher)
    check(tier, stub, kept(tier), kept(tier))
    check(tier, launcher, kept(tier), kept(tier) & SYS_ADMIN)
    return stub


def test_each_phase_has_the_powers_that_it_needs(
    tier: str, variant: Variant, open_slot: Callable[[], Sandbox], probe: Probe
) -> None:
    if variant.gvisor:
        pytest.skip("they are gVisor's processes")
    slot = open_slot()
    with sleeping(slot, probe) as program:
        launcher = check_phases(tier, program)
    check_waiting(tier, launcher)
    assert probe("echo", stdin=b"on", on=slot).stdout == b"on"


#: By the name that helpers.c gives them.
REFUSED = [
    "socket",
    "connect",
    "unshare",
    "setns",
    "ptrace",
    "process_vm_readv",
    "pidfd_open",
    "bpf",
    "keyctl",
    "memfd_create",
    "open_by_handle_at",
    "open_tree",
    "chroot",
    "pivot_root",
    "mknodat",
    "setgroups",
    "clone-user",
    "clone-net",
    "mount-bind",
    "mount-devices",
]
OF_MOUNTS = ["clone-stub", "mount-box"]
ALLOWED = ["umount2", "getpid", "clone-thread", "recvmsg", "sendmsg", "capset", "seccomp", "openat", "kill"]


@pytest.mark.parametrize("tier", [tier for tier in ("full", "restricted-root") if tier in granted()])
def test_calls_that_no_helper_makes_are_refused_to_it(tier: str, tmp_path: Path) -> None:
    """The control: before the filter stands the kernel knows each."""
    mounts = tier == "full"
    program = b"".join(instruction.pack() for instruction in helper_program(mounts, machine()))
    harness = tmp_path / "helpers"
    source = Path(__file__).with_name("helpers.c")
    subprocess.run(("gcc", "-std=c11", "-w", "-o", harness, source), check=True)
    said = subprocess.run((harness,), input=program, capture_output=True, check=True).stdout.decode()
    before, after = {}, {}
    for name, known, still in map(str.split, said.splitlines()):
        before[name], after[name] = known == "1", still == "1"
    refused = REFUSED if mounts else [*REFUSED, *OF_MOUNTS]
    allowed = [*ALLOWED, *OF_MOUNTS] if mounts else ALLOWED
    assert [name for name, known in before.items() if not known] == []
    assert sorted(after) == sorted((*refused, *allowed))
    assert [name for name, known in after.items() if known] == [name for name in after if name in allowed]
