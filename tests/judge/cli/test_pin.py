"""`judge problems pin`: the sums of generated tests."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tests.judge.cli.conftest import Cli
from tests.packages import write_package

FILES = {
    "generators/generators.yaml": "solution: /submissions/accepted/echo.py\n"
    'data: {secret: {data: [{"2-big": "gen.py n=5"}, {"3-more": "gen.py n=6"}]}}\n',
    "generators/gen.py": "import sys\nprint(sys.argv[1].rpartition('=')[2])\n",
    "submissions/accepted/echo.py": "print(input())\n",
}


def sum_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_what_is_not_pinned_is(cli: Cli, tmp_path: Path) -> None:
    place = write_package(tmp_path / "echo", {"secret/1": ("1\n", "1\n")}, files=FILES)
    sums = place / "generators" / "sha256sums"
    sums.write_text(f"{sum_of('5' + chr(10))}  secret/2-big.in\n")
    assert "judge problems pin" in cli("problems", "check", place).out
    ran = cli("problems", "pin", place)
    assert ran.code == 0, ran.err
    assert ran.out.split() == [
        word for name in ("2-big.ans", "3-more.ans", "3-more.in") for word in ("pinned", f"secret/{name}")
    ]
    pinned = dict(line.split("  ")[::-1] for line in sums.read_text().splitlines())
    assert pinned == {
        f"secret/{stem}.{end}": sum_of(f"{n}\n") for stem, n in (("2-big", 5), ("3-more", 6)) for end in ("in", "ans")
    }
    assert "all 4 files" in cli("problems", "pin", place).out
    assert "does not pin" not in cli("problems", "check", place).out


def test_a_sum_that_is_another_is_told_and_stays(cli: Cli, tmp_path: Path) -> None:
    place = write_package(tmp_path / "echo", {"secret/1": ("1\n", "1\n")}, files=FILES)
    sums = place / "generators" / "sha256sums"
    sums.write_text(f"{sum_of('4')}  secret/2-big.in\n")
    ran = cli("problems", "pin", place)
    assert (ran.code, "secret/2-big" in ran.err) == (2, True), ran.err
    assert sums.read_text() == f"{sum_of('4')}  secret/2-big.in\n"
