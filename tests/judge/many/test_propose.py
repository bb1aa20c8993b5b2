"""Which checker is proposed for what right programs write; and the program that it becomes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from judge.many.strength.propose import Proposal, Right, fit, make_source
from problems.model import Comparison, Mode
from problems.text.freedom import Freedom
from problems.writing.free_answers import accepts


def right(answer: str, *outputs: str, given: str = "3\n1 2 3\n") -> Right:
    return Right(input=given.encode(), answer=answer.encode(), outputs=tuple(map(str.encode, outputs)))


def propose(*rights: Right, freedom: Freedom | None = None, stated: Comparison | None = None) -> Proposal | None:
    return fit(rights, freedom or Freedom(), stated or Comparison())


GRAPH = "4 3\n1 2\n2 3\n3 4\n"


@pytest.mark.parametrize(
    ("name", "rights", "wrong"),
    [
        ("tokens", [right("1 2\n", "1  2")], "2 1"),
        ("tokens in either case", [right("YES\n", "yes\n")], "no"),
        ("tokens of a line in any order", [right("1 2\n3 4\n", "2 1\n4 3\n")], "3 4\n1 2\n"),
        ("the first line, then lines in any order", [right("9\n1 2\n3 4\n", "9\n3 4\n1 2\n")], "1 2\n9\n3 4\n"),
        ("lines in any order", [right("3 4\n1 2\n", "1 2\n3 4\n")], "4 3\n1 2\n"),
        (
            "the first line, then lines and their tokens in any order",
            [right("2\n1 2\n3 4", "2\n4 3\n2 1")],
            "2\n1 4\n3 2",
        ),
        ("lines and their tokens in any order", [right("1 2\n3 4\n", "4 3\n2 1\n")], "1 3\n2 4\n"),
        ("a set of lines", [right("1\n2\n2\n", "2\n1\n")], "1\n2\n3\n"),
        ("a set of lines that are sets of tokens", [right("1 1 2\n3\n", "3\n2 1\n")], "3\n2 1 4\n"),
        ("tokens in any order", [right("1 2\n3\n", "3 1\n2\n")], "3 1\n1\n"),
    ],
)  # fmt: skip
def test_the_strictest_that_takes_all_of_it(name: str, rights: list[Right], wrong: str) -> None:
    found = propose(*rights)
    assert found is not None and found.name == name
    for one in rights:
        assert found.accepts(one.input, one.answer, one.answer)
        assert not found.accepts(one.input, wrong.encode(), one.answer)


def test_numbers_get_a_tolerance_that_was_measured_or_stated() -> None:
    near = right("0.333333333\n", "0.33333333\n", "0.3333333333\n")
    found = propose(near)
    assert found is not None and isinstance(found.rule, Comparison) and found.is_strict
    assert (found.rule.mode, found.rule.absolute_tolerance) == (Mode.FLOAT, 1e-7)
    stated = propose(near, freedom=Freedom(absolute_tolerance=1e-4))
    assert stated is not None and isinstance(stated.rule, Comparison)
    assert (stated.rule.absolute_tolerance, stated.rule.relative_tolerance) == (1e-4, None)
    assert propose(right("0.25\n", "0.5\n")) is None  # other answers, not worse ones
    assert propose(right("2.50\n", "2.50\n")) == Proposal(name="tokens", rule=Comparison())


def test_case_that_does_not_count_in_the_package_counts_in_no_proposal() -> None:
    folds = Comparison(mode=Mode.TOKENS_CI, case_sensitive=False)
    found = propose(right("A B\nC\n", "c\na b\n"), stated=folds)
    assert found is not None and found.name == "lines in any order"


def test_a_certificate_has_the_properties_that_all_have() -> None:
    paths = [right("YES\n1 2 3\n", "YES\n4 3 2\n", given=GRAPH), right("NO\n", "NO\n", given="2 0\n")]
    found = propose(*paths)
    assert found is not None and "a path of the input's edges" in found.name and not found.is_order
    assert found.accepts(GRAPH.encode(), b"YES\n3 2 1\n", b"YES\n1 2 3\n")
    for wrong in (b"YES\n1 3 2\n", b"YES\n1 2 9\n", b"YES\n", b"NO\n", b"YES\n1 2\n", b"", b"YES\n1 2 x\n"):
        assert not found.accepts(GRAPH.encode(), wrong, b"YES\n1 2 3\n"), wrong
    sums = [right("2\n1 4\n", "2\n3 2\n", given="5\n3 1 4 2 7\n"), right("1\n1\n", "1\n3\n", given="3\n6 1 6\n")]
    picked = propose(*sums)
    assert picked is not None and "the answer's sum of picked entries" in picked.name
    assert picked.accepts(sums[0].input, b"2\n4 1\n", sums[0].answer)
    assert not picked.accepts(sums[0].input, b"2\n5 2\n", sums[0].answer)


RULE: dict[str, Any] = {"kind": "order", "sets": False, "head": 0, "lines": True, "tokens": True, "fold": False}


@pytest.mark.parametrize(("output", "code"), [("4 3\n2 1\n", 42), ("4 3\n", 43), ("", 43), ("\xff" * 9, 43)])
def test_the_program_says_what_the_rule_says(tmp_path: Path, output: str, code: int) -> None:
    (tmp_path / "check.py").write_text(make_source(RULE))
    (tmp_path / "in").write_text("2\n")
    (tmp_path / "ans").write_text("1 2\n3 4\n")
    ran = subprocess.run(
        [sys.executable, tmp_path / "check.py", tmp_path / "in", tmp_path / "ans", tmp_path],
        input=output.encode("latin-1"),
        check=False,
    )
    assert ran.returncode == code
    assert accepts(RULE, b"2\n", output.encode("latin-1"), b"1 2\n3 4\n") is (code == 42)
