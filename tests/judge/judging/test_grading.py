"""Graders that legacy packages bring for their groups of tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from judge import Judge, Judgement, Submission
from problems import load
from problems.errors import ProblemError
from problems.writing.write import write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

#: The sum, but of rejected results half; "twice": doubled. Prints what it is told, if that is not a group's.
GRADER = """
import sys
lines = [line.split() for line in sys.stdin]
points = sum(float(score) if verdict == "AC" else 1 for verdict, score in lines)
if "fail" in sys.argv:
    sys.exit(3)
if "say" in sys.argv:
    print(" ".join(sys.argv[2:]))
else:
    print("AC" if any(verdict == "AC" for verdict, _ in lines) else "WA", points * (2 if "twice" in sys.argv else 1))
"""
CASES = {"secret/a/1": ("1\n", "1\n"), "secret/a/2": ("2\n", "2\n"), "secret/b/1": ("3\n", "3\n")}


def packed(package: MakePackage, root: str = "", b: str = "") -> Path:
    files = {
        "problem.yaml": "name: P\ntype: scoring\n",
        "graders/grader.py": GRADER,
        "data/secret/testdata.yaml": f"grading: custom\nrange: 0 100\naccept_score: 10\ngrader_flags: {root}\n",
        "data/secret/a/testdata.yaml": "range: 0 40\ngrader_flags: twice\n",
        "data/secret/b/testdata.yaml": f"grading: default\nrange: 0 10\n{b}",
    }
    return package(CASES, files=files)


def judged(judges: Judges, problem: Path, *right: int) -> Judgement:
    text = f"n = int(input())\nprint(n if n in {right!r} else 'no')\n"
    return judges().judge(Submission(source=text.encode(), problem=problem, language="python3"))


@pytest.mark.parametrize(
    ("right", "points"),
    [
        ((1, 2, 3), 2 * 20 + 10),
        ((1, 3), 2 * 11 + 10),
        ((1,), 2 * 11 + 1),  # b is rejected
        ((3,), 1 + 10),  # a is: no result of it is accepted
        ((), 0),
    ],
)
def test_points_of_a_grader(judges: Judges, package: MakePackage, right: tuple[int, ...], points: float) -> None:
    judgement = judged(judges, packed(package), *right)
    assert judgement.score == pytest.approx(points / 100)
    assert judgement.accepted is (len(right) == 3)


@pytest.mark.parametrize(
    ("root", "says"),
    [
        ("fail", "the grader grader.py failed"),
        ("say AC", "the grader printed 'AC' for secret"),
        ("say AC nan", "gives nan points"),
        ("say AC 101", "the grader gives 101 points to secret, which has 100"),
        ("say XX 1", "printed 'XX 1'"),
    ],
)
def test_a_grader_that_fails_is_our_failure(judges: Judges, package: MakePackage, root: str, says: str) -> None:
    judgement = judged(judges, packed(package, root), 1)
    assert (judgement.verdict, judgement.score) == ("IE", None)
    assert says in (judgement.error or "")


def test_the_grader_decides_even_if_all_is_accepted(judges: Judges, package: MakePackage) -> None:
    judgement = judged(judges, packed(package, "say AC 25"), 1, 2, 3)
    assert (judgement.verdict, judgement.accepted, judgement.score) == ("AC", True, 0.25)


def test_the_newer_format_cannot_state_it(package: MakePackage, tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="has no graders of groups"):
        write(load(packed(package)), tmp_path / "written")
