"""Signals at random moments (`tests.robustness.interrupts`), in short: each of these commands, once or twice in a row.

JUDGE_INTERRUPTS is how often.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

from tests.robustness.interrupts import commands, interrupt, signals_for

COUNT = int(os.environ.get("JUDGE_INTERRUPTS", "2"))
#: One that judges rows, one that waits for stdin, one that runs a program, one whose child hears of Ctrl-C, too, one
#: that waits for a person, and a program of somebody else's.
SHORT = ("batch", "batch from stdin", "run", "bench", "talk", "library")


@pytest.mark.parametrize("name", SHORT)
def test_an_interrupt_ends_it_with_its_code_and_leaves_nothing(name: str, tmp_path: Path, shared_cache: Path) -> None:
    chance = random.Random(name)
    (command,) = [command for command in commands(tmp_path) if command.name == name]
    for _ in range(COUNT):
        told = interrupt(command, signals_for(command, chance), chance, sys.executable, shared_cache)
        assert told is None or told.wrong == (), told
