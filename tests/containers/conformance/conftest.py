"""The conformance suite is the definition of a backend: every test runs on every variant that this machine has (a
backend and what it may have; `tests.containers.variants`).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from containers import Outcome, RunLimits, RunSpec, Sandbox, SandboxError, Trust
from judge.store.memfd import seal
from tests.containers.variants import VARIANTS, Variant, granted, open_variant

MIB = 1 << 20
SECOND = 1_000_000_000
#: How much slower this machine is than one on which a second is plenty (an emulated one): widens the limits of programs
#: that are to end by themselves, and how far off a measured time may be. Limits that a test sets are what it tests, and
#: stay.
TIME_SCALE = int(os.environ.get("JUDGE_TIME_SCALE", "1"))
LIMITS = RunLimits(cpu_ns=TIME_SCALE * SECOND, wall_ns=10 * TIME_SCALE * SECOND, memory_bytes=256 * MIB)


@pytest.fixture(params=granted())
def tier(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def variant(tier: str) -> Variant:
    return VARIANTS[tier]


@pytest.fixture
def open_slot(tier: str) -> Iterator[Callable[..., Sandbox]]:
    """Opens slots of the variant; they are closed at the end of the test."""
    with ExitStack() as stack:
        yield lambda hide=(): stack.enter_context(open_variant(tier, hide))


@pytest.fixture(scope="session")
def warm_slots() -> Iterator[dict[str, Sandbox]]:
    slots: dict[str, Sandbox] = {}
    yield slots
    for slot in slots.values():
        slot.close()


@pytest.fixture
def slot(tier: str, warm_slots: dict[str, Sandbox]) -> Iterator[Sandbox]:
    slot = warm_slots.pop(tier, None) or open_variant(tier)
    yield slot
    if VARIANTS[tier].warm and _serves(slot):
        warm_slots[tier] = slot
    else:
        slot.close()


def _serves(slot: Sandbox) -> bool:
    try:
        return slot.run(RunSpec(argv=("/usr/bin/true",), limits=LIMITS)).exit_code == 0
    except SandboxError:
        return False


@pytest.fixture(scope="session")
def probe_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled probe program, static."""
    path = tmp_path_factory.mktemp("probe") / "probe"
    source = Path(__file__).with_name("probe.c")
    subprocess.run(("gcc", "-O1", "-w", "-static", "-pthread", "-o", path, source), check=True)
    return path


@pytest.fixture(scope="session")
def probe_fd(probe_path: Path) -> Iterator[int]:
    fd = os.open(probe_path, os.O_RDONLY)
    yield fd
    os.close(fd)


Probe = Callable[..., Outcome]


@pytest.fixture
def probe(slot: Sandbox, probe_fd: int) -> Probe:
    """Runs one probe: probe("name", argument, stdin=b"…", cpu_ns=…) -> Outcome."""

    def run(
        name: str,
        argument: object = "",
        *,
        stdin: bytes | None = None,
        on: Sandbox | None = None,
        spec: RunSpec | None = None,
        trust: Trust = Trust.HOSTILE,
        **limits: int,
    ) -> Outcome:
        base = spec or RunSpec(argv=("probe",), limits=LIMITS, trust=trust)
        fd = None if stdin is None else seal("input", stdin)
        try:
            return (on or slot).run(
                replace(
                    base,
                    argv=("probe", name, str(argument)),
                    executable=probe_fd,
                    stdin=fd,
                    limits=replace(base.limits, **limits),
                )
            )
        finally:
            if fd is not None:
                os.close(fd)

    return run
