"""Inline tests on disk: bounded, never taken from under a judgement, and gone with their process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trainer_adapter.data.inline_problems import InlineProblems
from trainer_adapter.data.tests_column import Case, DataError, Inline

ROOT = Path(__file__).resolve().parents[2]


def packed(number: int, size: int = 1000) -> str:
    return Inline(tests=(Case(input=f"{number}\n", output="x" * size),)).pack()


def test_those_used_longest_ago_go_unless_they_are_in_use(tmp_path: Path) -> None:
    inline = InlineProblems(tmp_path, most_bytes=5000)
    paths = {number: inline.take(str(number), packed(number)).directory for number in range(2)}
    inline.give_back("1")
    paths |= {number: inline.take(str(number), packed(number)).directory for number in range(2, 8)}
    assert paths[0].exists()  # in use
    assert not paths[1].exists()
    for number in range(8):
        inline.give_back(str(number))
    inline.take("8", packed(8))
    left = [number for number in range(8) if paths[number].exists()]
    assert left == list(range(8 - len(left), 8))
    assert 0 < len(left) < 5
    again = inline.take("1", packed(1))
    assert again.directory == paths[1]
    assert again.cases[0].read_input() == b"1\n"
    inline.close()
    assert not paths[1].parent.exists()


def test_wrong_tests_leave_nothing(tmp_path: Path) -> None:
    inline = InlineProblems(tmp_path)
    for wrong in ("no tests", '[{"input": "\\ud800", "output": ""}]'):
        with pytest.raises(DataError):
            inline.take("x", wrong)
        inline.give_back("x")
    assert inline.take("x", packed(1)).directory.exists()
    inline.close()


def test_what_a_killed_process_left_is_swept_and_what_a_living_one_has_is_not(tmp_path: Path) -> None:
    living = InlineProblems(tmp_path)
    here = living.take("a", packed(1)).directory
    code = (
        "import os, sys; from pathlib import Path; from trainer_adapter.data.inline_problems import InlineProblems\n"
        f"print(InlineProblems(Path(sys.argv[1])).take('a', {packed(1)!r}).directory, flush=True); "
        "os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run(
        (sys.executable, "-c", code, str(tmp_path)), cwd=ROOT, capture_output=True, text=True, check=False
    )
    left = Path(killed.stdout.strip())
    assert left.exists()
    other = InlineProblems(tmp_path)
    other.take("a", packed(1))
    assert here.exists()
    assert not left.parent.exists()
    other.close()
    living.close()
