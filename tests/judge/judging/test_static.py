"""Static validators: they look at the files of a submission, and a submission cannot make them fail for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import problems
from judge import Judge, Judgement, Options, Stop, Submission
from problems.writing.write import write
from tests.packages import write_package

Judges = Callable[..., Judge]

CASES = {"sample/1": ("3\n", "3\n"), "secret/1/a": ("5\n", "5\n"), "secret/1/b": ("6\n", "6\n")}
#: It wants no `eval`, gives half for a program with a loop, and breaks on "bang".
LOOK = """\
import os, sys
language, entry, place, *arguments = sys.argv[1:]
text = open(entry).read()
told = [language, entry, *arguments, *sorted(os.listdir("."))]
open(place + "judgemessage.txt", "w").write(" ".join(told))
if "bang" in text:
    raise SystemExit(7)
if "eval" in text:
    sys.exit(43)
if "while" in text:
    open(place + "score_multiplier.txt", "w").write("0.5")
sys.exit(42)
"""
FILES = {
    "static_validator/look.py": LOOK,
    "submissions/accepted/echo.py": "print(input())\n",
    "data/secret/1/test_group.yaml": (
        "max_score: 100\nscore_aggregation: sum\nstatic_validation_score: 40\nstatic_validator_args: [without, eval]\n"
    ),
}


def package(root: Path, *, metadata: str = "type: scoring\n", **changes: str) -> Path:
    return write_package(root / "echo", CASES, metadata=metadata, files={**FILES, **changes})


def judged(judge: Judge, package: Path, source: str, **files: bytes) -> Judgement:
    others = tuple((name.replace("_", "."), content) for name, content in files.items())
    submission = Submission(source=source.encode(), problem=package, language="python3", files=others)
    return judge.judge(submission, Options(stop=Stop.NEVER))


@pytest.mark.parametrize("again", [False, True], ids=["as it is", "written again"])
def test_it_looks_at_the_files_and_gives_points(tmp_path: Path, judges: Judges, again: bool) -> None:
    place, judge = package(tmp_path), judges()
    if again:
        place = write(problems.load(place), tmp_path / "again")
    right = judged(judge, place, "import more\nprint(input())\n", more_py=b"\n")
    assert (right.accepted, right.score, right.tests[0].name) == (True, 1, "secret/1/static_validation")
    assert right.tests[0].detail == "python3 solution.py without eval more.py solution.py"
    assert judged(judge, place, "while True: print(input()); break\n").score == pytest.approx(0.8)
    refused = judged(judge, place, "print(eval(input()))\n")
    assert (refused.verdict, round(refused.score, 9)) == ("WA", 0.6)
    wrong = judged(judge, place, "print(5)\n")
    assert (wrong.verdict, round(wrong.score, 9), wrong.tests[0].verdict) == ("WA", 0.7, "AC")


def test_a_submission_cannot_break_it(tmp_path: Path, judges: Judges) -> None:
    place, judge = package(tmp_path), judges()
    broken = judged(judge, place, "print(input()) # bang\n")
    assert (broken.verdict, round(broken.score, 9)) == ("WA", 0.6)
    assert "on this submission the checker look.py failed (exit code 7)" in broken.tests[0].detail
    always = package(tmp_path / "always", **{"static_validator/look.py": "raise SystemExit(1)\n"})
    assert judged(judge, always, "print(input())\n").verdict == "IE", "the control: it fails on what is right, too"
    cannot = package(tmp_path / "cannot", **{"static_validator/look.py": "print("})
    assert judged(judge, cannot, "print(input())\n").verdict == "IE"


def test_an_accepted_submission_in_a_refused_language_is_passed_over(tmp_path: Path, judges: Judges) -> None:
    other = {"submissions/accepted/a.c": "int main(void) {}\n", "include/python3/helper.py": ""}
    assert judged(judges(), package(tmp_path, **other), "print(input()) # bang\n").verdict == "WA"


def test_a_submission_cannot_speak_for_it(tmp_path: Path, judges: Judges) -> None:
    silent = LOOK.replace('open(place + "judgemessage.txt"', "open(os.devnull")
    place, judge = package(tmp_path, **{"static_validator/look.py": silent}), judges()
    for name in ("score_txt", "judgemessage_txt"):
        found = judged(judge, place, "print(input())\n", **{name: b"40"})
        assert (found.verdict, round(found.score, 9)) == ("WA", 0.6)
        assert "no file may be called" in found.tests[0].detail
    row = Submission(source=b"print(input())\n", problem=place, language="python3", files=(("score.txt/a.py", b""),))
    found = judge.judge(row)
    assert (found.verdict, round(found.score, 9)) == ("WA", 0.6), "a directory would make it fail"


def test_it_decides_where_nothing_has_points(tmp_path: Path, judges: Judges) -> None:
    group = {"data/secret/1/test_group.yaml": "static_validation_score: pass-fail\n"}
    place = package(tmp_path, metadata="", **group)
    judge = judges()
    assert judged(judge, place, "print(input())\n").accepted
    first = judge.judge(Submission(source=b"print(eval(input()))\n", problem=place, language="python3"))
    assert not first.accepted and first.tests[0].verdict == "WA"
    back = problems.load(write(problems.load(place), tmp_path / "back"))
    assert [(case.group, case.arguments) for case in back.static_cases] == [("secret/1", ())]
    assert "scoring" not in (tmp_path / "back" / "problem.yaml").read_text()


def test_a_group_may_hold_nothing_else(tmp_path: Path) -> None:
    only = {"data/secret/2/test_group.yaml": "max_score: 10\nstatic_validation_score: pass-fail\n"}
    problem = problems.load(package(tmp_path, **only))
    assert [(group.name, group.points) for group in problem.groups if group.counted] == [
        ("secret/1", 100),
        ("secret/2", 10),
    ]
    assert [case.name for case in problem.static_cases] == ["secret/1/static_validation", "secret/2/static_validation"]


def test_drafts_state_it_otherwise(tmp_path: Path) -> None:
    stated = "scoring: {score: 100, aggregation: sum}\nstatic_validation: {score: 40, args: a b}\n"
    place = package(tmp_path, **{"data/secret/1/test_group.yaml": stated})
    metadata = place / "problem.yaml"
    metadata.write_text(metadata.read_text().replace("2025-09", "2023-07-draft"))
    (case,) = problems.load(place).static_cases
    assert (case.arguments, case.full_score, case.weight) == (("a", "b"), 40, pytest.approx(40 * 2 / 60))
