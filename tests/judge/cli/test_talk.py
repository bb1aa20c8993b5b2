from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("typed", "code", "shown", "said"),
    [
        ("? 4\n? 6\n! 5\n", 0, "7\n>\n<\n", "judge: accepted"),
        ("! 4\n", 1, "7\n", "judge: refused: "),
        ("", 1, "7\n", "judge: refused: "),
    ],
)
def test_a_person_plays(typed: str, code: int, shown: str, said: str, backend: str) -> None:
    command = (sys.executable, "-m", "judge", "problems", "talk", "guess", "--test", "sample/1", "--backend", backend)
    ran = subprocess.run(command, cwd=ROOT, input=typed, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout) == (code, shown), ran.stderr
    assert said in ran.stderr


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("P1001",), "problem P1001 is not interactive"),
        (("guess", "--test", "sample/9"), "has no test 'sample/9'; it has sample/1"),
        (("gues",), "unknown problem"),
    ],
)
def test_what_cannot_be_played(asked: tuple[str, ...], said: str, backend: str) -> None:
    command = (sys.executable, "-m", "judge", "problems", "talk", *asked, "--backend", backend)
    ran = subprocess.run(command, cwd=ROOT, input="", capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 2
    assert said in ran.stderr
