"""`judge problems strengthen`, with real packages, compilers and validators."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import problems
from judge.many.strength.strengthen import cover
from tests.judge.cli.conftest import Cli
from tests.judge.cli.test_strength import WEAK
from tests.judge.cli.test_strength import package as package_of_both

FEW = ("--mutants", "12", "--inputs", "12", "-j", "1")
#: Python alone, whose mutants need no compiler.
PYTHON = {
    "submissions/accepted/std.cpp": None,
    "submissions/wrong_answer/first.cpp": None,
    "submissions/accepted/std.py": "a, b, *_ = map(int, input().split())\nprint(b if a < b else a)\n",
}


def package(root: Path, cases: Mapping[str, tuple[str, str]], **changes: str | None) -> Path:
    return package_of_both(root, cases, **{**PYTHON, **changes})


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


#: Two numbers and a third one that belongs to them, so that only the generator makes valid inputs.
GENERATED = {
    "generators/gen.py": "import sys\na, b = map(int, sys.argv[1:])\nprint(a, b, (a * 31 + b * 17) % 97)\n",
    "generators/generators.yaml": "solution: /submissions/accepted/std.py\n"
    'data:\n  secret:\n    data:\n      - "3-generated": gen.py 90 7\n',
    "input_validators/validate.py": "import sys\na, b, c = map(int, sys.stdin.read().split())\n"
    "sys.exit(42 if c == (a * 31 + b * 17) % 97 and 0 <= min(a, b) else 43)\n",
}
RISING = {"secret/1": ("5 2 92\n", "5\n"), "secret/2": ("7 3 74\n", "7\n")}


def test_what_a_generator_made_is_kept_as_a_recipe_with_its_sums(cli: Cli, tmp_path: Path) -> None:
    root = package(tmp_path / "larger", RISING, **GENERATED)
    (found,) = json.loads(cli("problems", "strengthen", root, *FEW, "--json").out)
    assert found["survivors_before"] > 0 and found["left"] == [] and found["disputed"] == 0
    generated = {case.name: case for case in problems.load(root).generated}
    assert generated.keys() == {"secret/3-generated", *(test["name"] for test in found["tests"])}
    for test in found["tests"]:
        case = generated[test["name"]]
        assert " ".join(("gen.py", *case.arguments)) == test["recipe"]
        assert case.input_sha256 == hashlib.sha256(test["input"].encode()).hexdigest()
        assert case.answer_sha256 == hashlib.sha256(test["answer"].encode()).hexdigest()
    assert not any((root / "data" / f"{test['name']}.in").exists() for test in found["tests"])
    assert cli("problems", "verify", root).code == 0
    # The sums pin what the generator makes.
    (root / "generators/gen.py").write_text(GENERATED["generators/gen.py"].replace("print(a, b", "print(a, b + 97"))
    ran = cli("problems", "verify", root)
    assert ran.code != 0 and "differs from generators/sha256sums" in ran.out + ran.err


def test_a_dry_run_writes_nothing(cli: Cli, tmp_path: Path) -> None:
    root = package(tmp_path / "larger", WEAK)
    before = sorted(root.rglob("*"))
    ran = cli("problems", "strengthen", root, *FEW, "--dry-run")
    assert ran.code == 0, ran.err
    assert "new tests, kill rate" in ran.out and "not written" in ran.out
    assert sorted(root.rglob("*")) == before


def test_what_cannot_be_strengthened_says_why_and_the_rest_goes_on(cli: Cli, tmp_path: Path) -> None:
    lacking = package(tmp_path / "lacking", WEAK, **{"submissions/accepted/std.py": None})
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


#: Numbers of group b are at least 1000.
BY_GROUP = (
    "import sys\na, b = map(int, sys.stdin.read().split())\nsys.exit(42 if int(sys.argv[1]) <= min(a, b) else 43)\n"
)


def test_a_new_test_goes_into_a_group_whose_arguments_take_it(cli: Cli, tmp_path: Path) -> None:
    stated = {
        f"data/secret/{group}/test_group.yaml": f"input_validator_args: ['{least}']\n"
        for group, least in (("a", 0), ("b", 1000))
    }
    cases = {"secret/a/1": ("5 2\n", "5\n"), "secret/b/1": ("7000 3000\n", "7000\n")}
    root = package(tmp_path / "larger", cases, **stated, **{"input_validators/validate.py": BY_GROUP})
    (root / "problem.yaml").write_text((root / "problem.yaml").read_text() + "type: scoring\n")
    (found,) = json.loads(cli("problems", "strengthen", root, *FEW, "--json").out)
    assert found["tests"], found
    for test in found["tests"]:
        small = min(map(int, test["input"].split())) < 1000
        assert test["name"].startswith("secret/a/" if small else "secret/b/")
    assert cli("problems", "verify", root).code == 0
