"""A launcher that holds a program: its powers, and how many a slot has."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace

import psutil
import pytest

from containers import RunSpec
from containers.launcher.driver import LauncherSandbox
from containers.launcher.held import HeldPrograms
from judge import languages
from tests.containers.conformance.conftest import MIB
from tests.containers.conformance.test_held import LIMITS, Python, held_tiers, python, skip_where_none_is_held  # noqa: F401
from tests.containers.conformance.test_helpers import check_phases, check_waiting
from tests.containers.variants import open_variant
from tests.processes import descendants

#: No launcher and no stub takes as much, so who does is the program. In a container, little else is told of it.
LARGE = 32 * MIB


def _is_large(pid: int) -> bool:
    try:
        return psutil.Process(pid).memory_info().rss > LARGE
    except psutil.Error:
        return False


@held_tiers
def test_the_launcher_has_the_powers_of_every_launcher(tier: str, python: Python) -> None:  # noqa: F811
    skip_where_none_is_held(python.slot)
    python("pass", held=True)
    thread = threading.Thread(
        target=python, args=(f"import time; large = b'x' * {LARGE}; time.sleep(50)",), kwargs={"held": True}
    )
    thread.start()
    deadline = time.monotonic() + 30
    try:
        while not (found := [pid for pid in descendants(os.getpid()) if _is_large(pid)]):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        launcher = check_phases(tier, found[0])
    finally:
        python.slot.stop()
        thread.join()
    check_waiting(tier, launcher)


@held_tiers
@pytest.mark.parametrize("most", [0, 1])
def test_no_more_are_held_than_may_be(tier: str, most: int) -> None:
    with open_variant(tier) as slot:
        skip_where_none_is_held(slot)
        assert isinstance(slot, LauncherSandbox)
        slot._most_held = most
        compiler = str(languages.get("python3").find())
        for memory in (64, 96, 128, 64):  # each has another stack, and so is another interpreter
            one = Python(
                slot=slot,
                argv=(compiler, "-s", "-E", "-B", "../in/solution.py"),
                limits=replace(LIMITS, memory_bytes=memory * MIB),
            )
            for _ in range(3):
                assert one._run(b"print(1)", True, b"", one.limits).stdout == b"1\n"
            assert sum(kind is not None for kind in one.kinds) == most


def test_one_that_had_to_go_has_to_pay_anew() -> None:
    spec = RunSpec(argv=("/bin/true",), limits=LIMITS, warm=2)
    programs = HeldPrograms()
    held = [programs.find_wanted(spec) for _ in range(4)]
    assert [one is not None for one in held] == [False, False, True, True]
    assert held[3] is not None
    programs.forget(held[3])
    assert [programs.find_wanted(spec) is not None for _ in range(3)] == [False, False, True]
