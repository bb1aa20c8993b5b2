"""A short form of benchmarks/stability.py."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import MakePackage

ROOT = Path(__file__).parents[2]
INTERACTIVE = {
    "output_validator/talk.py": "print(7, flush=True)\nexit(42 if input() == '8' else 43)\n",
    "submissions/accepted/parts/main.py": "from more import more\nprint(more(int(input())))\n",
    "submissions/accepted/parts/more.py": "def more(x):\n    return x + 1\n",
    "submissions/wrong_answer/same.py": "print(input())\n",
}


def _stability(*arguments: str | Path) -> list[str]:
    command = (sys.executable, "benchmarks/stability.py", "--rounds", "1", "--slots", "2", "--first-failure")
    said = subprocess.run((*command, *map(str, arguments)), cwd=ROOT, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr
    return re.findall(r"^(\d+) submissions, .* 0 clear ones wrong; 0 processes left$", said.stdout, re.MULTILINE)


@pytest.mark.long
def test_outputs_and_programs_of_several_files_are_judged_as_labelled(package: MakePackage) -> None:
    talk = package({"secret/1": ("1\n", "")}, metadata="type: interactive\n", files=INTERACTIVE)
    assert _stability("--hogs", "1", "guarded-queens", talk) == ["9"]
    assert _stability("--interactive", "guarded-queens", talk) == ["2"]
