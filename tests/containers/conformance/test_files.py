"""What goes into a run's directories and comes out of them is not charged to the run, and nobody else reads it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from containers import File, RunSpec, Sandbox
from containers.launcher.driver import LauncherSandbox
from containers.launcher.process import Launcher
from tests.containers.conformance.conftest import LIMITS, MIB, SECOND, Probe, Variant
from tests.containers.conformance.test_lifecycle import started_by

OUTPUT = RunSpec(argv=("probe",), collect=("output",), limits=replace(LIMITS, memory_bytes=64 * MIB))


def launcher_of(slot: Sandbox) -> Launcher:
    assert isinstance(slot, LauncherSandbox)
    return slot._launchers[(), None]


def test_an_output_file_of_most_of_the_memory_limit_is_collected(slot: Sandbox, probe: Probe) -> None:
    """A copy of it within the slot's cgroup would kill the launcher: the program's choice."""
    probe("leave", 0)
    launcher = launcher_of(slot)
    for _ in range(3):
        outcome = probe("write_output", 45, spec=OUTPUT)
        assert (outcome.exit_code, outcome.stdout) == (0, b""), outcome.termination
        assert outcome.files == {"output": b"".join(bytes([i]) * MIB for i in range(45))}
    assert probe("echo", stdin=b"on").stdout == b"on"
    assert launcher_of(slot) is launcher


def test_files_of_holes_are_collected_while_they_fit(slot: Sandbox, probe: Probe) -> None:
    """They take no room until they are read."""
    probe("leave", 0)
    launcher = launcher_of(slot)
    spec = replace(OUTPUT, collect=("a", "none", "b"), limits=replace(LIMITS, memory_bytes=16 * MIB))
    outcome = probe("sparse_outputs", 40, spec=spec)
    assert outcome.stdout == b"truncate ok\ntruncate ok\n"
    assert outcome.files == {"a": bytes(40 * MIB)}  # of both together the directory's 64 MiB would be too little
    outcome = probe("sparse_outputs", 32, spec=spec)
    assert outcome.files == {"a": bytes(32 * MIB), "b": bytes(32 * MIB)}
    assert launcher_of(slot) is launcher


def test_input_files_are_not_charged_to_the_run(slot: Sandbox, probe: Probe) -> None:
    probe("leave", 0)
    launcher = launcher_of(slot)
    files = (File(name="first", content=b"i" * 40 * MIB), File(name="second", content=b"i" * 20 * MIB, work=True))
    spec = RunSpec(argv=("probe",), files=files, collect=("second",), limits=replace(LIMITS, memory_bytes=16 * MIB))
    for _ in range(2):
        outcome = probe("read_inputs", spec=spec)
        assert outcome.stdout == b"%d %d\n" % (60 * MIB, 60 * MIB), outcome.termination
        assert outcome.files == {"second": files[1].content}
    assert launcher_of(slot) is launcher


def test_an_output_file_that_is_closed_to_its_own_user_is_collected(probe: Probe) -> None:
    assert probe("closed_output", spec=OUTPUT).files == {"output": b"closed"}


SECRET = b"the jury's answer"
CHECKER = RunSpec(
    argv=("probe",),
    files=(File(name="answer", content=SECRET), File(name="output", content=SECRET, work=True)),
    limits=replace(LIMITS, wall_ns=60 * SECOND),
)
#: As another user: how often what is named can be read or listed.
LOOK = """
import os, sys
os.setgroups([]), os.setresgid(*3 * [int(sys.argv[1])]), os.setresuid(*3 * [int(sys.argv[1])])
print("looks")
for path in sys.argv[2:]:
    try:
        print(os.listdir(path) if os.path.isdir(path) else open(path).read())
    except OSError:
        pass
"""
#: Of nobody, and of another slot: ids that are leased last.
OTHERS = (65534, 52_000 + 4095)


@contextmanager
def sleeping(slot: Sandbox, probe: Probe) -> Iterator[int]:
    """A checker that sleeps: its process."""
    probe("leave", 0, on=slot)
    others = started_by(os.getpid())
    thread = threading.Thread(target=probe, args=("sleeper",), kwargs={"on": slot, "spec": CHECKER})
    thread.start()
    try:
        deadline = time.monotonic() + 30
        while not (asleep := [pid for pid in started_by(os.getpid()) - others if _sleeps(pid)]):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        yield asleep[0]
    finally:
        slot.stop()
        thread.join()


def _sleeps(pid: int) -> bool:
    """Whether it is the program, executed."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"probe\0sleeper")
    except OSError:
        return False


def places(slot: Sandbox, program: int) -> list[str]:
    """Where the run's directories and files are: by way of its process, and by their own names where they have one."""
    work = Path(launcher_of(slot).work)
    tops = [f"/proc/{program}/cwd/..", f"/proc/{program}/root{work.parent}"]
    if work.is_dir():
        tops += [str(work.parents[1]), str(work.parent)]
    return [f"{top}{name}" for top in tops for name in ("", "/in", "/in/answer", "/work", "/work/output", "/run/in")]


def _reached(path: str) -> bool:
    """In a container, not even root may go by way of a process of another user."""
    try:
        return Path(path).exists()
    except PermissionError:
        return False


def test_nobody_else_reads_what_a_run_was_given(
    variant: Variant, open_slot: Callable[[], Sandbox], probe: Probe
) -> None:
    """Other users of the machine, while it runs."""
    if variant.gvisor:
        pytest.skip("they are files of gVisor's: nobody outside has a name for them")
    slot = open_slot()
    with sleeping(slot, probe) as program:
        found = [path for path in places(slot, program) if _reached(path)]
        for uid in (0, *OTHERS) if os.geteuid() == 0 else ():  # nobody else can be asked
            said = subprocess.run((sys.executable, "-I", "-c", LOOK, str(uid), *found), capture_output=True, check=True)
            assert said.stdout.startswith(b"looks\n")
            # The control: root reads both files, and lists all that leads to them.
            assert (
                (said.stdout.count(SECRET) >= 2 and b"answer" in said.stdout) if uid == 0 else said.stdout == b"looks\n"
            )
        for path in found:
            mode = Path(path).stat().st_mode
            assert not mode & (0o007 if os.geteuid() == 0 else 0o077), f"{path}: {mode:o}"
