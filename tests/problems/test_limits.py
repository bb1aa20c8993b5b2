"""A time limit is written into a package, and nothing else in it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

import problems
from problems import ProblemError
from problems.files.tree import Tree
from problems.reading.time_rule import TimeRule, read_time_rule
from problems.writing.limits import set_time_limit
from tests.packages import LEGACY, MINIMAL, PROBLEM, write_files

PAIRS = {
    "replaced": ("limits:\n  # seconds\n  time_limit: 7   # measured\n  memory: 64\n", "7   #", "2.5   #"),
    "quoted": ('limits: {memory: 64, "time_limit": 7}  # x\n', "7}", "2.5}"),
    "added": ("limits:\n    memory: 64  # MiB\n", "memory", "time_limit: 2.5\n    memory"),
    "added in a line": ("limits: {memory: 64}\n", "{memory", "{time_limit: 2.5, memory"),
    "an empty map": ("limits: {}\n", "{}", "{time_limit: 2.5}"),
    "CRLF": ("limits:\r\n  memory: 64\r\n", "memory", "time_limit: 2.5\r\n  memory"),
    "unicode": ("keywords: [数论, 😀]\nlimits: {time_limit: 1}\n", "time_limit: 1", "time_limit: 2.5"),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_limit_is_put_where_it_belongs(tmp_path: Path, name: str) -> None:
    given, before, after = PAIRS[name]
    text = f"# keep me\n{PROBLEM}{given}# and me\n"
    package = write_files(tmp_path / "p", {**MINIMAL, "problem.yaml": text})
    assert set_time_limit(problems.load(package), 2_500_000_000) == package / "problem.yaml"
    assert (package / "problem.yaml").read_bytes().decode() == text.replace(before, after, 1)
    assert problems.load(package).limits.cpu_ns == 2_500_000_000


@pytest.mark.parametrize("given", ["", "limits:\n", "# no newline at the end"])
def test_a_package_without_limits_gets_them(tmp_path: Path, given: str) -> None:
    package = write_files(tmp_path / "p", {**MINIMAL, "problem.yaml": PROBLEM + given})
    set_time_limit(problems.load(package), 3_000_000_000)
    assert (package / "problem.yaml").read_text().startswith(PROBLEM)
    assert problems.load(package).limits.cpu_ns == 3_000_000_000


def test_legacy_packages_have_it_beside(tmp_path: Path) -> None:
    package = write_files(tmp_path / "p", LEGACY)
    assert set_time_limit(problems.load(package), 3_000_000_000).name == ".timelimit"
    assert problems.load(package).limits.cpu_ns == 3_000_000_000
    write_files(package, {"domjudge-problem.ini": "timelimit=4\n"})
    with pytest.raises(ProblemError, match=r"domjudge-problem\.ini: states the time limit; write timelimit=1 there"):
        set_time_limit(problems.load(package), 1_000_000_000)


def test_a_file_in_one_line_is_left_alone(tmp_path: Path) -> None:
    text = '{problem_format_version: 2025-09, name: x, uuid: "7f9c24e8-3b1d-4f0a-9c55-0d1e2f3a4b5c"}\n'
    package = write_files(tmp_path / "p", {**MINIMAL, "problem.yaml": text})
    with pytest.raises(ProblemError, match="by hand"):
        set_time_limit(problems.load(package), 1_000_000_000)
    assert (package / "problem.yaml").read_text() == text
    assert not list(package.glob("*.partial"))


def test_the_rule_of_a_package(tmp_path: Path) -> None:
    def rule(files: dict[str, str]) -> TimeRule:
        return read_time_rule(Tree(write_files(tmp_path / str(len(list(tmp_path.iterdir()))), files), "p"))

    assert rule({**MINIMAL}) == TimeRule()
    stated = "limits: {time_multipliers: {ac_to_time_limit: 3}, time_resolution: 0.1}\n"
    assert rule({**MINIMAL, "problem.yaml": PROBLEM + stated}) == TimeRule(ac_to_time_limit=3, resolution_ns=10**8)
    assert rule({**LEGACY}) == TimeRule(ac_to_time_limit=5, time_limit_to_tle=2)
