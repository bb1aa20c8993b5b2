"""`judge problems strengthen`, with real packages, compilers and validators."""

from __future__ import annotations

import json
from pathlib import Path

import problems
from judge.many.strength.strengthen import cover
from tests.judge.cli.conftest import Cli
from tests.judge.cli.test_strength import WEAK, package

FEW = ("--mutants", "12", "--inputs", "40", "-j", "1")


def test_new_tests_kill_the_survivors_and_a_second_run_finds_none(cli: Cli, tmp_path: Path) -> None:
    root = package(tmp_path / "larger", WEAK)
    (found,) = json.loads(cli("problems", "strengthen", root, *FEW, "--json").out)
    assert found["survivors_before"] > 0 and found["left"] == []
    assert found["kill_rate_before"] < found["kill_rate"] == 1.0
    assert 0 < len(found["tests"]) <= found["survivors_before"]
    cases = {case.name: (case.read_input().decode(), case.read_answer().decode()) for case in problems.load(root).cases}
    for test in found["tests"]:
        assert cases[test["name"]] == (test["input"], test["answer"])
        assert int(test["answer"]) == max(map(int, test["input"].split()))
    assert cli("problems", "verify", root).code == 0
    (again,) = json.loads(cli("problems", "strengthen", root, *FEW, "--json").out)
    assert again["survivors_before"] == 0 and again["tests"] == []


def test_a_dry_run_writes_nothing(cli: Cli, tmp_path: Path) -> None:
    root = package(tmp_path / "larger", WEAK)
    before = sorted(root.rglob("*"))
    ran = cli("problems", "strengthen", root, *FEW, "--dry-run")
    assert ran.code == 0, ran.err
    assert "new tests, kill rate" in ran.out and "not written" in ran.out
    assert sorted(root.rglob("*")) == before


def test_what_cannot_be_strengthened_says_why_and_the_rest_goes_on(cli: Cli, tmp_path: Path) -> None:
    lacking = package(
        tmp_path / "lacking", WEAK, **{"submissions/accepted/std.cpp": None, "submissions/accepted/std.py": None}
    )
    bare = package(tmp_path / "bare", WEAK, **{"input_validators/validate.py": None})
    ran = cli("problems", "strengthen", lacking, bare, *FEW)
    assert ran.code == 1
    assert "no accepted submission" in ran.out and "no input validator" in ran.out
    assert cli("problems", "strengthen").code == 2


def test_the_cover_takes_few_and_small_tests() -> None:
    small, large, both = (b"1", b""), (b"22", b""), (b"333", b"")
    assert cover({}) == []
    assert cover({small: frozenset({0}), large: frozenset({0})}) == [(small, frozenset({0}))]
    assert cover({small: frozenset({0}), large: frozenset({1}), both: frozenset({0, 1})}) == [(both, frozenset({0, 1}))]
    found = cover({small: frozenset({2}), large: frozenset({0, 1}), both: frozenset({0, 1})})
    assert found == [(small, frozenset({2})), (large, frozenset({0, 1}))]
