"""A program that the kernel kills for want of memory that is not the program's: our failure, not a fact about it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from containers import Sandbox
from containers.launcher.cgroup import Cgroup, Parents, find_parents
from tests.containers.conformance.conftest import MIB
from tests.containers.variants import VARIANTS

ROOT = Path(__file__).parents[3]
#: Judges inside: argv: tier, probe. Says what became of a run that needs more than its surroundings have.
_INSIDE = f"""
import os, sys
os.read(0, 1)  # until it is inside the cgroup
from containers import RunLimits, RunSpec, SandboxError
from tests.containers.variants import VARIANTS
executable = os.open(sys.argv[2], os.O_RDONLY)
with VARIANTS[sys.argv[1]].open(hide=()) as slot:
    for probe, argument in (("echo", ""), ("allocate", "600"), ("signal_self", "9")):
        limits = RunLimits(cpu_ns=20_000_000_000, wall_ns=60_000_000_000, memory_bytes=1024 * {MIB})
        try:
            outcome = slot.run(RunSpec(argv=("probe", probe, argument), executable=executable, limits=limits))
            print(probe, outcome.termination.value, outcome.signal, flush=True)
        except SandboxError as error:
            print(probe, "failed:", error, flush=True)
            slot.close()
"""


@pytest.fixture
def tight() -> Iterator[Cgroup]:
    """A cgroup around a judge, which has less than its programs may use."""
    parents = find_parents()
    if not isinstance(parents, Parents):
        pytest.skip(f"no cgroup can be made around a judge: {parents}")
    with Cgroup(parents) as cgroup:
        name = "memory.max" if cgroup.version == 2 else "memory.limit_in_bytes"
        (cgroup.memory / name).write_text(str(200 * MIB))
        yield cgroup


def test_a_kill_for_want_of_memory_elsewhere_is_a_failure_of_ours(
    tier: str, open_slot: Callable[[], Sandbox], tight: Cgroup, probe_path: Path
) -> None:
    if VARIANTS[tier].warm:
        pytest.skip("its runs live in a container, outside the judge's cgroup")
    open_slot().close()  # where the variant is not granted, this skips
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))}
    with subprocess.Popen(
        (sys.executable, "-c", _INSIDE, tier, probe_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    ) as judge:
        tight.attach(judge.pid)
        said, errors = judge.communicate(b"\n", timeout=120)
    lines = said.decode().splitlines()
    assert lines[0] == "echo exited None", errors.decode()
    assert lines[1].startswith("allocate failed: "), "the program is not to blame"
    assert lines[2] == "signal_self signaled 9", "a program that kills itself is, also after that"
