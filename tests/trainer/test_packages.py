"""Inline tests on disk: bounded, never taken from under a judgement, and gone with their process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trainer_adapter.data.packages import Packages
from trainer_adapter.data.tests_column import Case, DataError, Inline

ROOT = Path(__file__).resolve().parents[2]


def packed(number: int, size: int = 1000) -> str:
    return Inline(tests=(Case(input=f"{number}\n", output="x" * size),)).pack()


def test_those_used_longest_ago_go_unless_they_are_in_use(tmp_path: Path) -> None:
    packages = Packages(tmp_path, most_bytes=5000)
    paths = {number: packages.take(str(number), packed(number)) for number in range(2)}
    packages.give_back("1")
    paths |= {number: packages.take(str(number), packed(number)) for number in range(2, 8)}
    assert paths[0].exists()  # in use
    assert not paths[1].exists()
    for number in range(8):
        packages.give_back(str(number))
    packages.take("8", packed(8))
    left = [number for number in range(8) if paths[number].exists()]
    assert left == list(range(8 - len(left), 8))
    assert 0 < len(left) < 5
    assert packages.take("1", packed(1)) == paths[1]
    assert (paths[1] / "data" / "secret" / "0001.in").read_text() == "1\n"
    packages.close()
    assert not paths[1].parent.exists()


def test_wrong_tests_leave_nothing(tmp_path: Path) -> None:
    packages = Packages(tmp_path)
    with pytest.raises(DataError):
        packages.take("x", "no tests")
    packages.give_back("x")
    assert packages.take("x", packed(1)).exists()
    packages.close()


def test_what_a_killed_process_left_is_swept_and_what_a_living_one_has_is_not(tmp_path: Path) -> None:
    living = Packages(tmp_path)
    here = living.take("a", packed(1))
    code = (
        "import os, sys; from pathlib import Path; from trainer_adapter.data.packages import Packages\n"
        f"print(Packages(Path(sys.argv[1])).take('a', {packed(1)!r}), flush=True); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run(
        (sys.executable, "-c", code, str(tmp_path)), cwd=ROOT, capture_output=True, text=True, check=False
    )
    left = Path(killed.stdout.strip())
    assert left.exists()
    other = Packages(tmp_path)
    other.take("a", packed(1))
    assert here.exists()
    assert not left.parent.exists()
    other.close()
    living.close()
