"""Every attack outside the sandbox: what it tries works there. One that works nowhere would show nothing."""

from __future__ import annotations

import os

import pytest

from judge.selftest.head import Attack
from judge.selftest.trial import Said
from tests.containers.escape import record
from tests.containers.escape.control import run_control
from tests.containers.escape.programs import Programs


def test_control(attack: Attack, programs: Programs) -> None:
    if attack.no_control is not None:
        record.write(attack=attack.name, control=f"no: {attack.no_control}")
        return
    if attack.kind == "resources" and os.geteuid() != 0:
        pytest.skip("only root can count the tasks and memory of a control apart from its own")
    output, leaked = run_control(attack, programs)
    said = Said.of(output)
    if said.absent:
        pytest.skip(f"this machine has no {', '.join(said.absent)}")
    worked = bool(said.escaped or leaked or said.beyond(attack.bound))
    record.write(attack=attack.name, control="works" if worked else "DOES NOT WORK")
    if not worked:
        pytest.fail(f"it printed: {output[:500]!r} … {output[-1000:]!r}", pytrace=False)
