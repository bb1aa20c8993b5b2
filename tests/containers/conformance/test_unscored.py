"""Whatever a run does to what serves it, there is an outcome: a SandboxError is ours alone, and no program must choose
one. (What else it can try is in test_executables.py, test_lifecycle.py, and among the attacks of ../escape.)"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace

import pytest

from containers import File, RunSpec, Sandbox, Termination, Unsupported
from tests.containers.conformance.conftest import LIMITS, MIB, Probe, Variant

KIB = 1024


@pytest.mark.parametrize("memory_bytes", [1, 4 * KIB, 64 * KIB, MIB, 2 * MIB])
def test_a_program_that_has_no_room_to_begin(slot: Sandbox, probe: Probe, memory_bytes: int) -> None:
    for name in ("echo", "allocate"):
        outcome = probe(name, 100, stdin=b"x", memory_bytes=memory_bytes)
        assert outcome.termination in (Termination.MEMORY_LIMIT, Termination.SIGNALED, Termination.EXITED)
        assert name == "echo" or outcome.exit_code != 0
    python = RunSpec(argv=("/usr/bin/python3", "-c", "pass"), limits=replace(LIMITS, memory_bytes=memory_bytes))
    assert slot.run(python).exit_code != 0
    assert probe("echo", stdin=b"x").stdout == b"x"


def test_files_that_leave_a_run_no_memory(variant: Variant, slot: Sandbox, probe: Probe) -> None:
    """As output is, that a checker with less memory is given as a file."""
    content = os.urandom(MIB) * 60
    files = (File(name="output", content=content),)
    spec = RunSpec(argv=("probe",), files=files, limits=replace(LIMITS, memory_bytes=32 * MIB))
    outcome = probe("reads", "../in/output", spec=spec)
    assert outcome.termination is Termination.EXITED or variant.gvisor
    assert outcome.usage.anonymous_peak_bytes < 32 * MIB
    assert probe("echo", stdin=b"x").stdout == b"x"


@pytest.mark.parametrize(
    "name",
    [
        "fill_directory",
        pytest.param("many_files", marks=pytest.mark.long),
        "allocate_forever",
        "map_shared",
        "thread_bomb",
        "leave_files",
    ],
)
def test_a_smaller_limit_after_a_run_that_left_much(slot: Sandbox, probe: Probe, name: str) -> None:
    """The cgroup's limit cannot be set below what is charged to it still."""
    large = {"memory_bytes": 512 * MIB, "directory_bytes": 256 * MIB, "directory_inodes": 60000}
    for _ in range(2):
        with suppress(Unsupported):  # it was not started
            probe(name, 400, **large)
        assert probe("echo", stdin=b"x", memory_bytes=8 * MIB).stdout == b"x"


MOST = {
    "argv": {"argv": ("/bin/true",) * 512},
    "env": {"env": {f"E{n}": "" for n in range(62)}},
    "files": {"files": tuple(File(name=f"f{n}", content=b"", work=n % 2 == 0) for n in range(191))},
    "collect": {"collect": tuple(f"f{n}" for n in range(16))},
    "bytes": {"argv": ("/bin/true", *("a" * 12_000,) * 10), "collect": ("x" * 255,) * 16},
}
MORE = {
    "argv": {"argv": ("/bin/true",) * 513},
    "env": {"env": {f"E{n}": "" for n in range(63)}},
    "files": {"files": tuple(File(name=f"f{n}", content=b"") for n in range(192))},
    "collect": {"collect": tuple(f"f{n}" for n in range(17))},
    "bytes": {"argv": ("/bin/true", *("a" * 12_000,) * 11)},
    "twice": {"files": (File(name="a", content=b"x"), File(name="a", content=b"y"))},
    "its directory": {"files": (File(name="a", content=b"x"), File(name="a/b", content=b"y"))},
    "a path that leads out": {"collect": ("../in/a",)},
}


def test_what_the_launcher_would_refuse_is_refused_before_it_is_asked(slot: Sandbox) -> None:
    """The launcher calls it a broken message, which would be a failure of ours. As much as may be is the control."""
    spec = RunSpec(argv=("/bin/true",), limits=LIMITS)
    for what, more in MORE.items():
        with pytest.raises(Unsupported):
            slot.run(replace(spec, **more))
        outcome = slot.run(replace(spec, **MOST.get(what, {})))
        assert (outcome.termination, outcome.exit_code) == (Termination.EXITED, 0), what
