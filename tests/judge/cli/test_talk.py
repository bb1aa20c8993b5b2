from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import MakePackage

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


#: Reads no more than its line: what was typed beyond that is for the next pass.
PASSES = r"""
import os, sys
passes = len(os.listdir(sys.argv[3]))
open(sys.argv[3] + f"pass{passes}", "w").close()
print(passes, flush=True)
heard = b""
while not heard.endswith(b"\n"):
    heard += os.read(0, 1) or b"\n"
if heard.strip() != str(passes).encode():
    sys.exit(43)
if passes < 2 or "more" in open(sys.argv[1]).read():
    open(sys.argv[3] + "nextpass.in", "w").write(open(sys.argv[1]).read())
sys.exit(42)
"""


@pytest.mark.parametrize(
    ("test", "typed", "code", "shown", "said"),
    [
        ("secret/1", "0\n1\n2\n", 0, "0\n1\n2\n", "judge: accepted"),
        ("secret/1", "0\n2\n", 1, "0\n1\n", "judge: refused"),
        ("secret/2", "0\n1\n2\n", 2, "0\n1\n2\n", "more than 3 passes"),
    ],
)
def test_a_person_plays_all_passes(
    package: MakePackage, test: str, typed: str, code: int, shown: str, said: str, backend: str
) -> None:
    metadata = "type: [interactive, multi-pass]\nlimits: {validation_passes: 3}\n"
    files = {"output_validator/interact.py": PASSES}
    problem = package({"secret/1": ("", ""), "secret/2": ("more", "")}, metadata=metadata, files=files)
    command = (sys.executable, "-m", "judge", "problems", "talk", problem, "--test", test, "--backend", backend)
    ran = subprocess.run(command, cwd=ROOT, input=typed, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout) == (code, shown), ran.stderr
    assert said in ran.stderr
