"""What submissions.yaml asks of a submission's tests (2025-09, "Submissions")."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import problems
from judge import Judge
from judge.many.verify import verify
from problems.model import Requirement
from problems.validate import validate
from problems.writing.write import write

if TYPE_CHECKING:
    from tests.conftest import MakePackage

#: Right for the sample and for easy inputs, wrong for hard ones; and it says so.
EASY = "a, b = map(int, input().split())\nprint(a + b if a < 10 else 'none')\n"
VALIDATOR = """
import sys
told = open(sys.argv[3] + "/judgemessage.txt", "w")
said = sys.stdin.read().split()
if said == open(sys.argv[2]).read().split():
    sys.exit(42)
told.write(f"no number: {said[0]}")
sys.exit(43)
"""
PLAIN = {"sample/1": ("1 2\n", "3\n"), "secret/1-easy": ("3 4\n", "7\n"), "secret/2-hard": ("30 4\n", "34\n")}
GROUPED = {"sample/1": ("1 2\n", "3\n"), "secret/easy/1": ("3 4\n", "7\n"), "secret/hard/1": ("30 4\n", "34\n")}
FILES = {
    "output_validator/validate.py": VALIDATOR,
    "submissions/accepted/sum.py": "print(sum(map(int, input().split())))\n",
    "submissions/rejected/easy.py": EASY,
}
POINTS = {
    "data/secret/easy/test_group.yaml": "max_score: 30\n",
    "data/secret/hard/test_group.yaml": "max_score: 70\n",
}


def complaint(package: MakePackage, judges: Callable[..., Judge], rule: str, *, scoring: bool = False) -> str | None:
    rules = {"submissions/submissions.yaml": f"rejected/easy.py:\n{rule}"}
    if scoring:
        root = package(GROUPED, metadata="type: scoring\n", files=FILES | POINTS | rules)
    else:
        root = package(PLAIN, files=FILES | rules)
    found = {one.name: one.complaint for one in verify(judges(), root)}
    assert found.pop("accepted/sum.py") is None
    return found["rejected/easy.py"]


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("  sample: {permitted: [AC]}\n  secret/*-easy: {permitted: [AC]}\n  secret/*-hard: {required: [WA]}\n", None),
        ("  permitted: [AC, WA]\n  required: [WA]\n", None),
        ("  permitted: [AC, TLE]\n", "expected TLE, got WA on secret/2-hard"),
        ("  secret/*-easy: {required: [WA]}\n", "WA required on secret/*-easy, no test gets it"),
        ("  secret/*-{easy,hard}: {permitted: AC}\n", "AC permitted on secret/*-{easy,hard}, got WA on secret/2-hard"),
        ("  message: no number\n", None),
        ("  secret/*-hard: {message: 'number: none'}\n", None),
        ("  message: No Number\n", "no validator says 'No Number'"),
        (
            "  secret/*-medium: {permitted: [AC]}\n",
            "on secret/*-medium, but no test of that name",
        ),
    ],
)
def test_of_tests(package: MakePackage, judges: Callable[..., Judge], rule: str, says: str | None) -> None:
    found = complaint(package, judges, rule)
    assert found is None if says is None else says in (found or "")


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("  score: 30\n", None),
        ("  score: [20, 40]\n", None),
        ("  score: [31, 40]\n", "expected 31 to 40 points, got 30"),
        ("  secret/easy: {score: 30}\n  secret/hard: {score: 0}\n", None),
        ("  secret/hard: {score: [10, 70]}\n", "expected 10 to 70 points on secret/hard, got 0"),
        ("  secret: {score: 70}\n", "expected 70 to 70 points on secret, got 30"),
        ("  secret/*: {score: 30}\n", "states a score of secret/*, which is no group"),
    ],
)
def test_of_points(package: MakePackage, judges: Callable[..., Judge], rule: str, says: str | None) -> None:
    found = complaint(package, judges, rule, scoring=True)
    assert found is None if says is None else says in (found or "")


@pytest.mark.parametrize("rule", ["  secret: {permited: [AC]}\n", "  of_tests: {}\n", "  sample: {permitted: [OK]}\n"])
def test_what_is_not_understood_is_refused(package: MakePackage, judges: Callable[..., Judge], rule: str) -> None:
    with pytest.raises(problems.ProblemError, match=r"submissions\.yaml"):
        complaint(package, judges, rule)


def test_what_is_not_used_is_told(package: MakePackage) -> None:
    rule = "rejected/easy.py:\n  secret/*-hard: {use_for_time_limit: upper}\n"
    found = validate(problems.load(package(PLAIN, files=FILES | {"submissions/submissions.yaml": rule})))
    assert [str(one) for one in found if "use_for_time_limit of easy.py on secret/*-hard is not used" in str(one)]


def test_it_is_written_as_it_was_read(package: MakePackage, tmp_path: Path) -> None:
    rule = "rejected/easy.py:\n  message: no number\n  secret/*-hard: {required: [WA], use_for_time_limit: false}\n"
    read = problems.load(package(PLAIN, files=FILES | {"submissions/submissions.yaml": rule}))
    asked = (
        Requirement(message="no number"),
        Requirement(tests="secret/*-hard", required=("WA",), use_for_time_limit=False),
    )
    assert read.submissions[1].requirements == asked
    write(read, tmp_path / "again")
    assert problems.load(tmp_path / "again").submissions[1].requirements == asked


@pytest.mark.parametrize("name", ["old.py", "old.py2"])
def test_python_2_is_not_judged_as_python_3(package: MakePackage, judges: Callable[..., Judge], name: str) -> None:
    """`raw_input` is a run-time error in Python 3: an accepted program of a real package was refused."""
    old = "#!/usr/bin/python2\nprint sum(map(int, raw_input().split()))\n"
    found = {
        one.name: one for one in verify(judges(), package(PLAIN, files=FILES | {f"submissions/accepted/{name}": old}))
    }
    assert found[f"accepted/{name}"].judgement is None
    assert "python2" in (found[f"accepted/{name}"].missing or "")
