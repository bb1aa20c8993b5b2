"""What lies outside the working directory is neither read nor changed, by whatever path; with every version of Landlock
that kernels have had, and with none."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from containers import Outcome, RunSpec, Sandbox
from containers.launcher.child import Child
from containers.launcher.driver import LauncherSandbox
from containers.launcher.plan import Plan
from containers.launcher.process import Launcher, SetupRefused
from containers.outcome import Isolation
from tests.containers.conformance.conftest import LIMITS, Probe, Variant
from tests.containers.variants import REQUIRED

#: Ways that only a race between two looks could open; one thread that waits for the other cannot lose it.
RACES = {"signal_race", "thread_race"}
#: What no run has (openat2), or what is nowhere a secret file.
NOT_TRIED = {"openat2", "proc_environ", "proc_mem"}


@pytest.fixture
def outside() -> Iterator[Path]:
    """A directory that the file system lets everybody write."""
    with tempfile.TemporaryDirectory(prefix="outside-", dir="/tmp", ignore_cleanup_errors=True) as name:
        directory = Path(name)
        directory.chmod(0o777)
        (directory / "secret").write_text("secret")
        (directory / "secret").chmod(0o666)
        yield directory


@pytest.fixture(scope="session")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    program = tmp_path_factory.mktemp("paths") / "paths"
    source = Path(__file__).with_name("paths.c")
    subprocess.run(("gcc", "-O1", "-w", "-static", "-pthread", "-o", program, source), check=True)
    fd = os.open(program, os.O_RDONLY)
    yield fd
    os.close(fd)


def ways(stdout: bytes) -> dict[str, str]:
    lines = stdout.decode().splitlines()
    assert lines.pop() == "end"
    return dict(line.split() for line in lines)


def run(slot: Sandbox, paths: int, outside: Path) -> Outcome:
    return slot.run(RunSpec(argv=("paths", str(outside)), executable=paths, limits=LIMITS))


def unreachable(outcome: Outcome, outside: Path) -> None:
    opened = {way for way, result in ways(outcome.stdout).items() if result == "ok"}
    assert not opened
    assert [path.name for path in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_text() == "secret"


def test_nothing_outside_is_reached(slot: Sandbox, paths: int, outside: Path) -> None:
    unreachable(run(slot, paths, outside), outside)


def test_all_of_it_is_reached_without_a_sandbox(paths: int, outside: Path) -> None:
    command = ("prlimit", "--cpu=5", "--fsize=65536", "--", f"/proc/self/fd/{paths}", str(outside))
    with tempfile.TemporaryDirectory(dir=outside.parent) as cwd:  # on its file system: links and moves stay there
        done = subprocess.run(command, cwd=cwd, capture_output=True, pass_fds=(paths,), timeout=60, check=True)
    refused = {way for way, result in ways(done.stdout).items() if result != "ok"}
    assert refused <= RACES | NOT_TRIED


@pytest.mark.parametrize("abi", range(1, 7))
def test_nothing_is_reached_with_an_older_landlock(abi: int, paths: int, outside: Path) -> None:
    root = os.geteuid() == 0
    plan = Plan(starter=Child(), namespaces=False, user_namespace=False, own_uid=root, cgroup=None, landlock=abi)
    isolation = Isolation(backend="native", tier="restricted-root" if root else "restricted-user")
    try:
        launcher = Launcher(plan, mounts=(), hide=())
    except SetupRefused as error:
        if isolation.tier in REQUIRED:
            raise
        pytest.skip(f"no Landlock here: {error}")
    if launcher.landlock_abi < abi:
        launcher.close()
        pytest.skip(f"Landlock is older here: {launcher.landlock_abi}")
    with LauncherSandbox(plan, isolation, (), launcher) as slot:
        unreachable(run(slot, paths, outside), outside)


def test_a_file_of_the_view_is_not_opened_again_for_writing(variant: Variant, probe: Probe, outside: Path) -> None:
    """By the names of its own streams, in whose place it put a descriptor for reading."""
    if variant.gvisor:  # it would truncate what everybody may write: docs/security.md
        (outside / "secret").chmod(0o644)
    said = probe("reopens", outside / "secret", spec=RunSpec(argv=("probe",), limits=LIMITS, mounts=(outside,)))
    lines = said.stdout.decode().splitlines()
    assert lines.pop() == "read ok"
    assert len(lines) == 30
    assert not [line for line in lines if line.endswith(" ok")], lines
    assert (outside / "secret").read_text() == "secret"


def test_what_lies_outside_is_not_executed(probe: Probe, outside: Path) -> None:
    """Neither by its path nor as the interpreter or the loader of what the program made itself."""
    program = outside / "program"
    source = b'#include <stdio.h>\nint main(void) { puts("executed ok"); fflush(stdout); for (;;); }\n'
    subprocess.run(("gcc", "-static", "-x", "c", "-", "-o", program), input=source, check=True)
    lines = probe("executes", program).stdout.decode().splitlines()
    assert lines.pop() == "end -", lines
    assert len(lines) == 9
    assert not [line for line in lines if line.endswith(" ok")], lines


_LOADERS = (Path("/lib64/ld-linux-x86-64.so.2"), Path("/lib/ld-linux-aarch64.so.1"))


def test_what_lies_outside_is_no_loader(slot: Sandbox, outside: Path) -> None:
    """Of a compiled program, which may name any."""
    loader, program = outside / "loader", outside / "program"
    source = b'#include <unistd.h>\nint main(void) { return write(1, "executed", 8) != 8; }\n'
    shutil.copy(next(path for path in _LOADERS if path.exists()), loader)
    subprocess.run(("gcc", f"-Wl,--dynamic-linker={loader}", "-x", "c", "-", "-o", program), input=source, check=True)
    assert subprocess.run((program,), capture_output=True, check=False).stdout == b"executed"
    fd = os.open(program, os.O_RDONLY)
    try:
        outcome = slot.run(RunSpec(argv=("program",), executable=fd, limits=LIMITS))
    finally:
        os.close(fd)
    assert outcome.stdout == b""
    assert outcome.exec_errno in (errno.EACCES, errno.ENOENT)
