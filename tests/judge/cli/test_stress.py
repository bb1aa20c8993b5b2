"""`judge problems stress`, with real packages, compilers and validators."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import problems
from tests.judge.cli.conftest import Cli
from tests.judge.cli.test_strength import FIRST, LARGER, WEAK, package

SUM = "print(sum(map(int, input().split())))\n"
EITHER = """\
import sys
left, right = open(sys.argv[1]).read().split()
sys.exit(42 if sys.stdin.read().split() in ([left], [right]) else 43)
"""
SMALL = ("--inputs", "40", "-j", "1")


@pytest.fixture
def larger(tmp_path: Path) -> Path:
    return package(tmp_path / "larger", WEAK)


def test_a_difference_is_small_and_kept_when_asked(cli: Cli, larger: Path, source: Callable[..., Path]) -> None:
    wrong = source(FIRST, "first.cpp")
    ran = cli("problems", "stress", larger, "--against", wrong, *SMALL, "--json", "--keep")
    assert ran.code == 1, ran.err
    found = json.loads(ran.out)
    # The least input on which the first number is not the larger one.
    assert (found["input"], found["expected"], found["got"].split()) == ("0 1\n", "1\n", ["0"])
    assert (found["verdict"], found["kept"]) == ("WA", "secret/3-first")
    case = next(case for case in problems.load(larger).cases if case.name == "secret/3-first")
    assert (case.read_input(), case.read_answer()) == (b"0 1\n", b"1\n")
    assert cli("run", wrong, "-p", larger).code == 1


def test_for_people_and_nothing_is_kept_unasked(cli: Cli, larger: Path, source: Callable[..., Path]) -> None:
    before = sorted(larger.rglob("*"))
    ran = cli("problems", "stress", larger, "--against", source(SUM, "sum.py"), *SMALL)
    assert ran.code == 1, ran.err
    assert "WA on an input of 4 bytes" in ran.out and "expected:\n    1\n" in ran.out
    assert sorted(larger.rglob("*")) == before


def test_a_right_program_has_no_difference(cli: Cli, larger: Path, source: Callable[..., Path]) -> None:
    ran = cli("problems", "stress", larger, "--against", source(LARGER.replace("a < b", "a <= b")), *SMALL, "--keep")
    assert ran.code == 0, ran.err
    assert "40 random inputs" in ran.out and "no difference" in ran.out


def test_the_freedom_that_a_checker_leaves_is_no_difference(
    cli: Cli, tmp_path: Path, source: Callable[..., Path]
) -> None:
    either = package(tmp_path / "either", WEAK, **{"output_validator/check.py": EITHER})
    assert cli("problems", "stress", either, "--against", source(FIRST), *SMALL).code == 0
    assert cli("problems", "stress", either, "--against", source(SUM, "sum.py"), *SMALL).code == 1


def test_inputs_on_which_right_programs_differ_say_nothing(
    cli: Cli, tmp_path: Path, source: Callable[..., Path]
) -> None:
    root = package(tmp_path / "doubtful", WEAK, **{"submissions/accepted/first.cpp": FIRST})
    ran = cli("problems", "stress", root, "--against", source(LARGER), *SMALL, "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["disputed"] > 0


def test_interactive_problems_are_compared_by_their_interactor(cli: Cli, source: Callable[..., Path]) -> None:
    once = source("import sys\nn = int(input())\nprint('!', n, flush=True)\n", "once.py")
    ran = cli("problems", "stress", "guess", "--against", once, *SMALL, "--json")
    assert ran.code == 1, ran.err
    found = json.loads(ran.out)
    assert found["conversation"] and found["got"] == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("short-ruler",), "who solves them all is right"),
        (("larger", "--group", "secret"), "give --keep"),
        (("nowhere",), "nowhere"),
    ],
)
def test_what_cannot_be_tried_says_why(
    cli: Cli, source: Callable[..., Path], arguments: tuple[str, ...], message: str
) -> None:
    ran = cli("problems", "stress", *arguments, "--against", source(SUM, "sum.py"))
    assert ran.code == 2 and message in ran.err


def test_a_candidate_that_does_not_compile_is_an_error(cli: Cli, larger: Path, source: Callable[..., Path]) -> None:
    ran = cli("problems", "stress", larger, "--against", source("int main( {"), *SMALL)
    assert ran.code == 2 and "does not compile" in ran.err


def test_without_a_validator_there_are_no_inputs(cli: Cli, tmp_path: Path, source: Callable[..., Path]) -> None:
    root = package(tmp_path / "larger", WEAK, **{"input_validators/validate.py": None})
    ran = cli("problems", "stress", root, "--against", source(FIRST))
    assert ran.code == 2 and "no input validator" in ran.err


BY_GROUP = """\
import re, sys
text, most = sys.stdin.read(), int(sys.argv[1])
right = re.fullmatch(r"(0|[1-9][0-9]?) (0|[1-9][0-9]?)\\n", text)
sys.exit(42 if right and max(map(int, text.split())) <= most else 43)
"""


def test_an_input_is_valid_by_the_arguments_of_some_group_and_kept_there(
    cli: Cli, tmp_path: Path, source: Callable[..., Path]
) -> None:
    """Wrong from 6 on: the group that comes last, whose inputs are smaller, gets no such test."""
    cases = {"secret/a/1": ("50 20\n", "50\n"), "secret/b/1": ("5 2\n", "5\n")}
    stated = {
        f"data/secret/{group}/test_group.yaml": f"input_validator_args: ['{most}']\n"
        for group, most in (("a", 99), ("b", 5))
    }
    scoring = {**stated, "input_validators/validate.py": BY_GROUP}
    root = package(tmp_path / "larger", cases, **scoring)
    (root / "problem.yaml").write_text((root / "problem.yaml").read_text() + "type: scoring\n")
    wrong = source("a, b = map(int, input().split())\nprint(max(a, b) if max(a, b) < 6 else a)\n", "six.py")
    ran = cli("problems", "stress", root, "--against", wrong, *SMALL, "--keep", "--json")
    assert ran.code == 1, ran.err
    found = json.loads(ran.out)
    assert (found["input"], found["kept"]) == ("0 6\n", "secret/a/2-six")
    refused = cli("problems", "stress", root, "--against", wrong, *SMALL, "--keep", "--group", "secret/b")
    assert refused.code == 2
    assert "groups in which the new test is valid: secret/a" in refused.err


def test_without_a_validator_accepted_submissions_agree(cli: Cli, tmp_path: Path, source: Callable[..., Path]) -> None:
    bare = package(tmp_path / "larger", WEAK, **{"input_validators/validate.py": None})
    asked = ("problems", "stress", bare, "--against", source(FIRST, "first.cpp"), *SMALL)
    ran = cli(*asked)
    assert ran.code == 2
    assert "no input validator to say which inputs are valid (see --unvalidated)" in ran.err
    ran = cli(*asked, "--unvalidated")
    assert ran.code == 1, ran.err
    assert "no input validator has seen these inputs" in ran.out
    (bare / "submissions/accepted/std.py").unlink()
    ran = cli(*asked, "--unvalidated")
    assert ran.code == 2
    assert "not 2 accepted submissions that could agree" in ran.err
