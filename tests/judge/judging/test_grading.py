"""Graders that legacy packages bring for their groups of tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from judge import Judge, Judgement, Submission
from problems import load
from problems.errors import ProblemError
from problems.exporting import export
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


def packed(package: MakePackage, root: str = "", b: str = "", rejects: str = "continue") -> Path:
    files = {
        "problem.yaml": "name: P\ntype: scoring\n",
        "graders/grader.py": GRADER,
        "data/testdata.yaml": f"on_reject: {rejects}\n",
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


def test_a_grader_learns_nothing_of_what_follows_a_break(judges: Judges, package: MakePackage) -> None:
    assert judged(judges, packed(package, rejects="break"), 3).score == 0, "group a is refused, so b is not judged"
    assert judged(judges, packed(package, rejects="break"), 1).score == pytest.approx((2 * 11 + 1) / 100)


@pytest.mark.parametrize(
    ("root", "says"),
    [
        ("fail", "the grader grader.py failed"),
        ("say AC", "the grader printed 'AC' for secret"),
        ("say AC nan", "gives nan points"),
        ("say AC 101", "the grader gives 101 points to secret, which has 0 to 100"),
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


#: Accepts what is a number of points, and writes it to score.txt.
WRITES = """
import sys
points = sys.stdin.read().split()[0]
if points == "no":
    sys.exit(43)
open(sys.argv[3] + "/score.txt", "w").write(points)
sys.exit(42)
"""
#: The least of the points that its tests wrote, times what the group is worth.
WORTH = """
import sys
lines = [line.split() for line in sys.stdin]
worth = float(sys.argv[1].split("=")[1])
verdict = "AC" if all(verdict == "AC" for verdict, _ in lines) else "WA"
print(verdict, min(float(score) for _, score in lines) * worth)
"""


def write_scoring(
    package: MakePackage, flags: str, *, most: str = "100", least: str = "0", grader: bool = False
) -> Path:
    graded = "grading: custom\n" if grader else ""
    files = {
        "problem.yaml": "name: P\ntype: scoring\nvalidation: custom score\n",
        "output_validators/v.py": WRITES,
        "data/secret/testdata.yaml": f"range: {least} {most}\n",
        "data/secret/g/testdata.yaml": f"range: {least} {most}\ngrader_flags: {flags}\n{graded}",
    }
    if grader:
        files["graders/grader.py"] = WORTH
    tests = {f"secret/g/{name}": (f"{name}\n", "1\n") for name in (1, 2, 3)}
    return package(tests, files=files)


def writing(judges: Judges, problem: Path, *points: str) -> Judgement:
    text = f"print({points!r}[int(input()) - 1])\n"
    return judges().judge(Submission(source=text.encode(), problem=problem, language="python3"))


@pytest.mark.parametrize(
    ("flags", "points", "score", "verdict"),
    [
        ("sum", ("10", "20", "70"), 1, "AC"),  # more than a third of the points, and less
        ("sum", ("10", "20", "0"), 0.3, "PC"),  # accepted with no points: the others count
        ("sum", ("10", "no", "70"), 0, "PC"),  # one is refused, so all of the group is
        ("sum accept_if_any_accepted", ("10", "no", "70"), 0.8, "PC"),
        ("min", ("100", "100", "100"), 1, "AC"),
        ("min", ("100", "95.5", "100"), 0.955, "PC"),
        ("min", ("100", "0", "100"), 0, "PC"),
        ("sum", ("10", "20", "71"), None, "IE"),  # more than the range has
        ("sum", ("101", "no", "no"), None, "IE"),
    ],
)
def test_a_range_bounds_the_points_of_a_group_not_of_each_test(
    judges: Judges, package: MakePackage, flags: str, points: tuple[str, ...], score: float | None, verdict: str
) -> None:
    judgement = writing(judges, write_scoring(package, flags), *points)
    assert (judgement.verdict, judgement.score) == (verdict, score if score is None else pytest.approx(score))
    assert judgement.accepted is (score == 1)
    assert [test.points for test in judgement.tests] == [None if word == "no" else float(word) for word in points]


@pytest.mark.parametrize(
    ("flags", "points", "score", "verdict"),
    [
        ("sum", ("-10", "20", "70"), 0.8, "PC"),
        ("sum", ("-30", "20", "-40"), 0, "PC"),  # a share is at least 0; the tests show what was written
        ("sum", ("-10", "110", "0"), 1, "AC"),
        ("avg", ("-30", "60", "0"), 0.1, "PC"),
        ("min", ("-10", "20", "70"), 0, "PC"),
        ("max", ("-10", "20", "-50"), 0.2, "PC"),
        ("sum", ("-10", "no", "70"), 0, "PC"),
        ("sum accept_if_any_accepted", ("-10", "no", "70"), 0.6, "PC"),
        ("sum", ("-60", "0", "0"), None, "IE"),  # less than the range has
        ("sum", ("-60", "161", "0"), None, "IE"),  # more than it has
    ],
)
def test_points_may_be_negative_where_the_range_says_so(
    judges: Judges, package: MakePackage, flags: str, points: tuple[str, ...], score: float | None, verdict: str
) -> None:
    """As problemtools' default grader has it, which sums up whatever number score.txt holds."""
    judgement = writing(judges, write_scoring(package, flags, least="-50"), *points)
    assert (judgement.verdict, judgement.score) == (verdict, score if score is None else pytest.approx(score))
    assert [test.points for test in judgement.tests] == [None if word == "no" else float(word) for word in points]
    assert all(test.score is None or 0 <= test.score <= 1 for test in judgement.tests)
    assert writing(judges, write_scoring(package, flags), *points).verdict == "IE", "this range does not"


@pytest.mark.parametrize("to", ["icpc", "kattis"])
def test_a_copy_knows_that_points_may_be_negative(package: MakePackage, tmp_path: Path, to: str) -> None:
    problem = load(write_scoring(package, "sum", least="-50"))
    copy = tmp_path / "copy"
    write(problem, copy) if to == "icpc" else export(problem, to, copy, lenient=True)
    assert {group.least for group in load(copy).groups if group.counted} == {-50}


@pytest.mark.parametrize(
    ("points", "score", "verdict"),
    [
        (("1", "1", "1"), 1, "AC"),
        (("1", "0.5", "1"), 0.5, "PC"),
        (("1", "no", "1"), 0, "PC"),
        (("9", "2", "1"), 1, "AC"),
    ],
)
def test_only_the_grader_knows_what_the_points_of_a_test_are(
    judges: Judges, package: MakePackage, points: tuple[str, ...], score: float, verdict: str
) -> None:
    judgement = writing(judges, write_scoring(package, "worth=12", most="12", grader=True), *points)
    assert (judgement.verdict, judgement.score) == (verdict, pytest.approx(score))
    assert {test.score for test in judgement.tests} == {1.0} if score == 1 else judgement.accepted is False
