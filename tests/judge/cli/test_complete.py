"""`judge problems complete`, with real packages, compilers and validators."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import problems
from judge.cli.complete import EVIDENCE
from problems.model import Comparison, Mode, Program
from tests.judge.cli.conftest import Cli
from tests.packages import write_package

#: So few mutants prove less, and tests take less time.
FEW = ("--mutants", "24", "--inputs", "60", "--tpr", "0.95", "--tnr", "0.75", "-j", "1")
NUMBERS = """\
import re, sys
text = sys.stdin.read()
right = re.fullmatch(r"([1-9])\\n((?:[0-9]{1,2} ?)+)\\n", text)
sys.exit(42 if right and not text.endswith(" \\n") and len(right[2].split()) == int(right[1]) else 43)
"""
READ = "n = int(input())\na = list(map(int, input().split()))\n"
#: The even numbers, one in a line; in three orders.
EVEN = READ + "found = [x for x in a if x % 2 == 0]\nprint(len(found))\nfor x in found: print(x)\n"
ORDERS = {
    "submissions/accepted/as_they_come.py": EVEN,
    "submissions/accepted/backwards.py": EVEN.replace("in found: ", "in found[::-1]: "),
    "submissions/accepted/rising.py": EVEN.replace("in found: ", "in sorted(found): "),
    "submissions/wrong_answer/odd.py": EVEN.replace("== 0", "== 1"),
    "input_validators/validate.py": NUMBERS,
}
CASES = {
    "sample/1": ("4\n3 8 2 5\n", "2\n8\n2\n"),
    "secret/1": ("5\n1 2 3 4 6\n", "3\n2\n4\n6\n"),
    "secret/2": ("1\n7\n", "0\n"),
    "secret/3": ("3\n0 10 10\n", "3\n0\n10\n10\n"),
}
ANY_ORDER = {"statement/problem.en.md": "Print how many numbers are even, and then print them in any order.\n"}
#: The largest number, by programs that agree.
LARGEST = {
    "submissions/accepted/std.py": READ + "best = a[0]\nfor x in a:\n    if x > best:\n        best = x\nprint(best)\n",
    "submissions/accepted/other.py": READ + "a.sort()\nprint(a[-1])\n",
    "submissions/wrong_answer/first.py": READ + "print(a[0])\n",
    "input_validators/validate.py": NUMBERS,
    "statement/problem.en.md": "Print the largest number.\n",
}
WEAK = {"sample/1": ("2\n5 2\n", "5\n"), "secret/1": ("2\n7 3\n", "7\n")}


def complete(cli: Cli, root: Path, *more: str | Path, code: int = 0) -> dict[str, Any]:
    ran = cli("problems", "complete", root, *FEW, *more, "--json")
    assert ran.code == code, ran.out + ran.err
    found: dict[str, Any] = json.loads(ran.out)
    assert found["proved"] is (code == 0) is (found["reason"] is None)
    return found


def test_any_order_is_found_and_proved(cli: Cli, tmp_path: Path) -> None:
    root = write_package(tmp_path / "even", CASES, files={**ORDERS, **ANY_ORDER})
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    found = complete(cli, root, "-o", tmp_path / "made")
    assert found["checker"] == "the first line, then lines in any order" and found["unique"] is False
    assert found["true_positives"]["rate"] == found["true_negatives"]["rate"] == 1.0
    assert found["true_positives"]["rate_low"] > 0.95 and found["true_negatives"]["rate_low"] > 0.75
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
    made = problems.load(tmp_path / "made")
    assert isinstance(made.checker, Program)
    assert json.loads((tmp_path / "made" / EVIDENCE).read_text()) == found
    assert cli("problems", "verify", tmp_path / "made").code == 0
    # The checker of the package takes another order, and no other number.
    (tmp_path / "falling.py").write_text(EVEN.replace("in found: ", "in sorted(found)[::-1]: "))
    (tmp_path / "one_off.py").write_text(EVEN.replace("print(x)", "print(x + (x > 5))"))
    assert cli("run", tmp_path / "falling.py", "-p", tmp_path / "made").code == 0
    assert cli("run", tmp_path / "one_off.py", "-p", tmp_path / "made").code == 1


def test_an_order_that_no_word_allows_is_not_proved(cli: Cli, tmp_path: Path) -> None:
    """As of a topological order: right programs differ in their order, and not every order is right."""
    found = complete(cli, write_package(tmp_path / "even", CASES, files=ORDERS), code=1)
    assert found["checker"] and "the statement does not say how they may" in found["reason"]


@pytest.mark.long
def test_weak_tests_get_more_until_it_is_proved(cli: Cli, tmp_path: Path) -> None:
    root = write_package(tmp_path / "largest", WEAK, files=LARGEST)
    found = complete(cli, root, "--write")
    assert found["checker"] == "tokens in either case" and found["unique"] is True and found["tests"]
    assert found["labelled_wrong"]["well"] == found["labelled_wrong"]["trials"] == 1
    kept = problems.load(root)
    assert {case.name for case in kept.cases} == {*WEAK, *found["tests"]}
    assert kept.checker == Comparison(mode=Mode.TOKENS_CI, case_sensitive=False)
    assert json.loads((root / EVIDENCE).read_text())["tests"] == found["tests"]
    assert cli("problems", "verify", root).code == 0


@pytest.mark.long
def test_what_cannot_be_proved_says_why_and_writes_nothing(cli: Cli, tmp_path: Path) -> None:
    def refused(name: str, changes: Mapping[str, str | None], *more: str) -> str:
        root = write_package(tmp_path / name, WEAK, files={**LARGEST, **changes})
        found = complete(cli, root, "-o", tmp_path / "made", *more, code=1)
        assert not (tmp_path / "made").exists()
        return str(found["reason"])

    unknown = {"submissions/submissions.yaml": "accepted/other.py: {language: python2}\n"}
    assert "not two right programs" in refused("alone", unknown)
    allowed = {"statement/problem.en.md": "Print the largest number. If there are several solutions, print any.\n"}
    assert "may allow several answers" in refused("several", allowed)
    assert "no statement in English or Chinese" in refused("mute", {"statement/problem.en.md": None})
    wrong = {"submissions/accepted/other.py": READ + "print(a[-1])\n", "statement/problem.en.md": "Print one.\n"}
    assert "no checker of the family" in refused("differ", wrong)
    assert "and 99% is asked for" in refused("few", {}, "--tnr", "0.99")


def test_errors_name_what_is_wrong(cli: Cli, tmp_path: Path) -> None:
    guess = cli("problems", "complete", "guess")
    assert guess.code == 2 and "interactive" in guess.err
    own = cli("problems", "complete", "any-order")
    assert own.code == 2 and "has a checker of its own" in own.err
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").touch()
    taken = cli("problems", "complete", "P1001", "-o", tmp_path / "taken")
    assert taken.code == 2 and "exists already" in taken.err


def test_programs_that_agree_on_a_certificate_prove_nothing(cli: Cli, tmp_path: Path) -> None:
    """As where one author wrote them all: each prints the numbers as they come."""
    files = {
        **ORDERS,
        "submissions/accepted/backwards.py": EVEN.replace("in found", "in list(found)"),
        "submissions/accepted/rising.py": EVEN.replace("found = ", "found = found = "),
    }
    asked = {"statement/problem.en.md": "Print a list of numbers such that all of them are even.\n"}
    found = complete(cli, write_package(tmp_path / "asked", CASES, files={**files, **asked}), code=1)
    assert found["unique"] is True and "may ask for one of many (“a list”)" in found["reason"]
    plain = {"statement/problem.en.md": "Print how many numbers are even, and them.\n"}
    found = complete(cli, write_package(tmp_path / "plain", CASES, files={**files, **plain}), code=1)
    assert "not 4 right programs" in found["reason"]
