"""The output validator of P5960 (any solution is right), on output that nobody sane would print."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import problems

SOLVABLE, CONTRADICTION = "sample/1", "sample/2"
ACCEPTED, WRONG = 42, 43


@pytest.fixture(scope="module")
def validator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("validator") / "validate"
    source = problems.library_directory() / "P5960" / "output_validator" / "validate.cpp"
    options = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover"]
    subprocess.run(["g++", *options, "-o", program, source], check=True, timeout=120)
    return program


@pytest.mark.parametrize(
    ("case", "output", "status"),
    [
        (SOLVABLE, b"-2 0 3 0\n", ACCEPTED),
        (SOLVABLE, b"  -02\n\n0\r\n3\t-0", ACCEPTED),
        (SOLVABLE, b" " * 2**20 + b"-2 0 3 0", ACCEPTED),
        (SOLVABLE, b"-9223372036854775808 -9223372036854775806 -9223372036854775803 -9223372036854775806", ACCEPTED),
        (SOLVABLE, b"-1 0 3 0", WRONG),
        (SOLVABLE, b"", WRONG),
        (SOLVABLE, b"-2 0 3", WRONG),
        (SOLVABLE, b"-2 0 3 0 0", WRONG),
        (SOLVABLE, b"-2 0 3 0 NO", WRONG),
        (SOLVABLE, b"NO", WRONG),
        (SOLVABLE, b"NO -2 0 3 0", WRONG),
        (SOLVABLE, b"nan nan nan nan", WRONG),
        (SOLVABLE, b"-2 0 3 0.0", WRONG),
        (SOLVABLE, b"-2 0 3 0e0", WRONG),
        (SOLVABLE, b"-2 0 3 0x0", WRONG),
        (SOLVABLE, b"-2 0 3 -", WRONG),
        (SOLVABLE, b"-2 0 3 0\0", WRONG),
        (SOLVABLE, b"\0" * 2**20, WRONG),
        (SOLVABLE, b"9" * 2**20, WRONG),
        (SOLVABLE, b"0 " * 2**20, WRONG),
        (SOLVABLE, b"-2 0 3 18446744073709551616", WRONG),
        (SOLVABLE, b"-9223372036854775808 9223372036854775807 3 0", WRONG),
        (SOLVABLE, "-2 0 3 \N{FULLWIDTH DIGIT ZERO}".encode(), WRONG),
        (SOLVABLE, b"-2\xa00 3 0", WRONG),
        (CONTRADICTION, b"NO\n", ACCEPTED),
        (CONTRADICTION, b"No\n", WRONG),
        (CONTRADICTION, b"NO NO", WRONG),
        (CONTRADICTION, b"NO\0", WRONG),
        (CONTRADICTION, b"0 0 0", WRONG),
        (CONTRADICTION, b"9223372036854775807 -9223372036854775808 0", WRONG),
    ],
)
def test_output(validator: Path, tmp_path: Path, case: str, output: bytes, status: int) -> None:
    data = problems.library_directory() / "P5960" / "data"
    arguments = [validator, data / f"{case}.in", data / f"{case}.ans", tmp_path]
    run = subprocess.run(arguments, input=output, timeout=60, check=False)
    assert run.returncode == status, (tmp_path / "judgemessage.txt").read_text()


def test_a_solution_where_the_answer_has_none_is_our_error(validator: Path, tmp_path: Path) -> None:
    data = problems.library_directory() / "P5960" / "data"
    run = subprocess.run(
        [validator, data / "sample/1.in", data / "sample/2.ans", tmp_path], input=b"-2 0 3 0", timeout=60, check=False
    )
    assert run.returncode not in {ACCEPTED, WRONG}
