"""Where core_pattern names a handler, the kernel starts it outside every sandbox unless the limit of core dumps is 1: a
program must not be able to change that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from containers import Sandbox, Termination
from containers.launcher import request
from judge.selftest import head, trial
from tests.containers.escape.programs import Programs

HANDLED = 1


def test_the_limit_that_keeps_the_handler_from_starting_stays(
    open_slot: Callable[[], Sandbox], programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request, "core_soft", lambda: HANDLED)
    attack = head.read(Path(__file__).parent / "attacks/privilege/core_dump.c")
    outcome = trial.run(attack, programs.of(attack), open_slot(), b"")
    assert outcome.stdout == f"HELD the limit stays {HANDLED}\n".encode()
    assert outcome.termination is Termination.SIGNALED
