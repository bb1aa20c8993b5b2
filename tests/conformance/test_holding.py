"""A launcher that holds an interpreter: its powers, and how many a slot has."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from containers.native.driver import NativeSandbox
from judge import languages
from tests.conformance.conftest import MIB
from tests.conformance.conftest import _open as open_variant
from tests.conformance.test_held import LIMITS, Python, held_tiers, python, skip_where_none_is_held  # noqa: F401
from tests.conformance.test_helpers import check_phases, check_waiting
from tests.processes import descendants


def _sleeps(pid: int) -> bool:
    """Whether it is a program in `time.sleep`, its walls raised."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        return "\nSeccomp:\t2\n" in status and Path(f"/proc/{pid}/wchan").read_text().startswith("hrtimer")
    except OSError:
        return False


@held_tiers
def test_the_launcher_has_the_powers_of_every_launcher(tier: str, python: Python) -> None:  # noqa: F811
    python("pass", held=True)
    thread = threading.Thread(target=python, args=("import time; time.sleep(50)",), kwargs={"held": True})
    thread.start()
    deadline = time.monotonic() + 30
    try:
        while not (found := [pid for pid in descendants(os.getpid()) if _sleeps(pid)]):
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
    with open_variant(tier, ()) as slot:
        skip_where_none_is_held(slot)
        assert isinstance(slot, NativeSandbox)
        slot._held = most
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
