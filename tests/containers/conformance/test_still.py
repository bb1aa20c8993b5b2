"""A run that stands still is told from one that computes or waits for a core."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from containers import RunSpec, Termination
from tests.containers.conformance.conftest import LIMITS, SECOND, TIME_SCALE, Probe

#: CPU time that no program here uses up on its way to another limit.
AMPLE = 20 * TIME_SCALE * SECOND


class Said:
    """What was said of one run after the other."""

    def __init__(self, probe: Probe) -> None:
        self._probe = probe

    def __call__(self, name: str, **limits: int) -> list[bool]:
        said: list[bool] = []
        outcome = self._probe(name, spec=RunSpec(argv=("probe",), limits=LIMITS, on_still=said.append), **limits)
        assert outcome.termination in (Termination.WALL_LIMIT, Termination.CPU_LIMIT)
        return said


@pytest.fixture
def said(tier: str, probe: Probe) -> Said:
    if tier.startswith(("nsjail", "docker")):
        pytest.skip("the launcher's number is not known there")
    return Said(probe)


@pytest.fixture
def hogs() -> Iterator[None]:
    """Four on each core, each in a session of its own: where the kernel groups tasks by session they would be one."""
    with ExitStack() as stack:
        for core in sorted(os.sched_getaffinity(0)) * 4:
            command = ("taskset", "-c", str(core), sys.executable, "-c", "while True: pass")
            hog = stack.enter_context(subprocess.Popen(command, start_new_session=True))
            stack.callback(hog.kill)
        yield


@pytest.mark.parametrize("name", ["sleeper", "stop_self"])
def test_who_sleeps_stands_still(said: Said, name: str) -> None:
    """To its end, which a last look may see."""
    assert said(name, wall_ns=SECOND * TIME_SCALE) in ([True], [True, False])


def test_who_goes_on_is_told(said: Said) -> None:
    assert said("wakes", cpu_ns=SECOND // 2, wall_ns=AMPLE) == [True, False]


@pytest.mark.parametrize("name", ["spin", "spins_beside_a_sleeper", "fork_bomb"])
def test_who_computes_does_not_stand_still(said: Said, name: str) -> None:
    assert said(name, cpu_ns=SECOND // 2, wall_ns=AMPLE) == []


def test_who_waits_for_a_core_does_not_stand_still(said: Said, hogs: None) -> None:
    assert said("spin", cpu_ns=SECOND // 2, wall_ns=AMPLE) == []


def test_nobody_asks_is_no_failure(probe: Probe) -> None:
    assert probe("sleeper", wall_ns=SECOND // 2).termination is Termination.WALL_LIMIT
