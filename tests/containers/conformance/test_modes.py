"""Modes of files: a run that shares no file with another one may set them, and execute what it makes; no other may."""

from __future__ import annotations

from dataclasses import replace

import pytest

from containers import File, RunSpec, Sandbox
from containers.outcome import counts_processes
from tests.containers.conformance.conftest import LIMITS

#: It makes a program, and says what becomes of it.
MAKES = b"""
printf '#!/bin/sh\\necho ran\\n' >made
chmod 755 made
./made
"""
GIVEN = (File(name="script", content=MAKES),)


def makes(slot: Sandbox, *, modes: bool) -> bytes:
    if not counts_processes(slot.isolation):
        pytest.skip("hostile processes are refused here")
    limits = replace(LIMITS, processes=8, wall_ns=5 * 10**9)
    outcome = slot.run(
        RunSpec(
            argv=("/bin/sh", "../in/script"), limits=limits, files=GIVEN, modes=modes, env={"PATH": "/usr/bin:/bin"}
        )
    )
    return outcome.stdout


def test_who_shares_no_file_executes_what_it_makes(slot: Sandbox) -> None:
    assert makes(slot, modes=True) == b"ran\n"


def test_no_other_run_sets_a_mode(slot: Sandbox) -> None:
    assert makes(slot, modes=False) == b""
