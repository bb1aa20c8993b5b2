"""`judge problems strength`, with real packages, compilers and validators."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from judge.cli.strength import command
from tests.judge.cli.conftest import Cli
from tests.packages import write_package

LARGER = '#include <cstdio>\nint main() { int a, b; scanf("%d%d", &a, &b); printf("%d\\n", a < b ? b : a); }\n'
FIRST = LARGER.replace("a < b ? b : a", "a")
VALIDATOR = """\
import re, sys
text = sys.stdin.read()
right = re.fullmatch(r"(0|[1-9][0-9]?) (0|[1-9][0-9]?)\\n", text)
sys.exit(42 if right else 43)
"""
FILES = {
    "submissions/accepted/std.cpp": LARGER,
    "submissions/accepted/std.py": "print(max(map(int, input().split())))\n",
    "submissions/wrong_answer/first.cpp": FIRST,
    "input_validators/validate.py": VALIDATOR,
}
#: The second number is never the larger one: whoever prints the first one passes.
WEAK = {"secret/1": ("5 2\n", "5\n"), "secret/2": ("7 3\n", "7\n")}
FEW = ("--inputs", "40")
STRONG = {**WEAK, "secret/3": ("2 5\n", "5\n")}


def package(root: Path, cases: Mapping[str, tuple[str, str]], **changes: str | None) -> Path:
    return write_package(root, cases, files={**FILES, **changes})


def test_weak_tests_let_mutants_live_and_are_told_how(cli: Cli, tmp_path: Path) -> None:
    ran = cli("problems", "strength", package(tmp_path / "larger", WEAK), *FEW, "--json")
    assert ran.code == 0, ran.err
    (found,) = json.loads(ran.out)
    assert found["killed"] > 0 and found["kill_rate"] < 1
    assert found["kill_rate_low"] < found["kill_rate"] < found["kill_rate_high"]
    living = {survivor["diff"].splitlines()[-1].partition("printf")[2]: survivor for survivor in found["survivors"]}
    kept = living['("%d\\n", (a)); }']
    assert (kept["operator"], kept["verdict"]) == ("removed branch", "WA")
    first, second = map(int, kept["input"].split())
    assert first < second and kept["answer"] == f"{second}\n"
    # a <= b prints the same number where both are equal: no input tells it apart.
    assert [one["diff"] for one in found["not_told_apart"] if "a <= b ? b : a" in one["diff"]]
    wrong, right = found["wrong"], found["right"]
    assert (wrong["judged"], wrong["accepted"], wrong["rate"]) == (1, 1, 1.0) and wrong["rate_low"] < 0.3
    assert (right["judged"], right["accepted"]) == (2, 2) and right["rate_high"] == 1.0
    assert found["idle_tests"] == ["secret/2"]


def test_one_more_test_kills_them(cli: Cli, tmp_path: Path) -> None:
    ran = cli("problems", "strength", package(tmp_path / "larger", STRONG), *FEW, "--json")
    (found,) = json.loads(ran.out)
    assert not [one for one in found["survivors"] if one["operator"] == "removed branch"]
    assert (found["wrong"]["judged"], found["wrong"]["accepted"], found["wrong"]["rate"]) == (1, 0, 0.0)


def test_for_people(cli: Cli, tmp_path: Path) -> None:
    ran = cli("problems", "strength", package(tmp_path / "larger", WEAK), "--mutants", "8", *FEW)
    assert ran.code == 0, ran.err
    assert "larger: 8 mutants of 2 submissions" in ran.out
    assert "kill rate" in ran.out and "(false positives): 1 of 1, 100% (21% to 100%)" in ran.out
    assert "survivor: accepted/std.cpp:2" in ran.out


def test_without_a_validator_nothing_is_compared(cli: Cli, tmp_path: Path) -> None:
    root = package(tmp_path / "larger", WEAK, **{"input_validators/validate.py": None})
    ran = cli("problems", "strength", root, "--mutants", "8", *FEW, "--json")
    (found,) = json.loads(ran.out)
    assert "no input validator" in found["uncompared"]
    assert found["survivors"] == [] and found["not_told_apart"]


#: The sum of at most 2000 numbers.
SUM = {
    "submissions/accepted/std.cpp": None,
    "submissions/wrong_answer/first.cpp": None,
    "submissions/accepted/std.py": "input()\nnumbers = input().split()[:2000]\nprint(sum(map(int, numbers)))\n",
    "input_validators/validate.py": "import sys\nn, *numbers = map(int, sys.stdin.read().split())\n"
    "sys.exit(42 if 1 <= n == len(numbers) <= 2000 and min(numbers) >= 0 else 43)\n",
}
FEW_NUMBERS = {"secret/1": ("2\n3 4\n", "7\n"), "secret/2": ("1\n9\n", "9\n"), "secret/3": ("3\n5 5 1\n", "11\n")}


def test_a_bound_that_is_too_small_is_told_by_a_large_input(cli: Cli, tmp_path: Path) -> None:
    ran = cli("problems", "strength", package(tmp_path / "sum", FEW_NUMBERS, **SUM), "--inputs", "8", "--json")
    assert ran.code == 0, ran.err
    survivors = {one["operator"]: one for one in json.loads(ran.out)[0]["survivors"]}
    halved = survivors["halved bound"]
    assert halved["verdict"] == "WA" and 1000 < int(halved["input"].split()[0]) <= 2000


def test_mutants_that_talk_are_compared_by_the_interactor(cli: Cli) -> None:
    ran = cli("problems", "strength", "heavy-coin", "--mutants", "8", "--inputs", "10", "--json")
    assert ran.code == 0, ran.err
    (found,) = json.loads(ran.out)
    assert found["mutants"] == 8 and found["killed"] > 0
    assert found["inputs"] > 0 and found["uncompared"] is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"submissions/accepted/std.cpp": None, "submissions/accepted/std.py": None},
            "no accepted submission in C++ or Python",
        ),
        ({"submissions/accepted/std.cpp": FIRST.replace(", a);", ", b);")}, "std.cpp is not accepted (WA)"),
    ],
)
def test_what_cannot_be_measured_says_why(
    cli: Cli, tmp_path: Path, changes: dict[str, str | None], message: str
) -> None:
    ran = cli("problems", "strength", package(tmp_path / "larger", WEAK, **changes))
    assert ran.code == 1
    assert message in ran.out


def test_it_asks_for_a_problem(cli: Cli) -> None:
    ran = cli("problems", "strength")
    assert ran.code == 2 and "name at least one problem" in ran.err
    assert command.name == "strength"


def test_without_a_validator_accepted_submissions_agree(cli: Cli, tmp_path: Path) -> None:
    bare = package(tmp_path / "larger", WEAK, **{"input_validators/validate.py": None})
    said = json.loads(cli("problems", "strength", bare, *FEW, "--json").out)[0]
    assert said["uncompared"].startswith("there is no input validator") and not said["unvalidated"]
    ran = cli("problems", "strength", bare, *FEW, "--unvalidated")
    assert ran.code == 0, ran.err
    assert "no input validator has seen these inputs" in ran.out and "survivor: accepted/std" in ran.out
