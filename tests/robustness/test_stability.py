"""A short form of benchmarks/stability.py."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _stability(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "benchmarks/stability.py", "--rounds", "1", "--slots", "2", *arguments)
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["short-ruler", "guess"])
def test_every_kind_of_submission_is_judged_as_labelled(name: str) -> None:
    """Outputs, and programs of several files, among them."""
    said = _stability("--hogs", "1", name)
    assert said.returncode == 0, said.stdout + said.stderr
    assert re.search(r"^\d+ submissions, .* 0 clear ones wrong; 0 processes left$", said.stdout, re.MULTILINE)
