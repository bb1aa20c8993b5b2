"""score.txt and score_multiplier.txt by the text of 2025-09: points, shares of them, and where neither counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import problems
from judge import Judge, Judgement, Options, Stop, Submission
from judge.many.verify import verify
from problems import ProblemError
from problems.model import Convention
from problems.writing.write import write
from tests.packages import write_package

Judges = Callable[..., Judge]

#: Refuses "no"; else the output's words are the names of files that it writes, and what it writes into them.
VALIDATOR = """\
import sys
words = sys.stdin.read().split()
for name, text in zip(words[::2], words[1::2]):
    open(sys.argv[3] + name, "w").write(text)
sys.exit(43 if words == ["no"] else 42)
"""
CASES = {f"{name}/{n}": ("", "") for name in ("sample", "secret/added", "secret/least", "secret/passed") for n in "ab"}
GROUPS = {
    "data/secret/added/test_group.yaml": "max_score: 20\nscore_aggregation: sum\n",
    "data/secret/least/test_group.yaml": "max_score: 30\nscore_aggregation: min\n",
    "data/secret/passed/test_group.yaml": "max_score: 50\nscore_aggregation: pass-fail\n",
}
UNBOUNDED = "max_score: unbounded\n"


def package(root: Path, cases: dict[str, tuple[str, str]], files: dict[str, str], *, again: bool = False) -> Path:
    files = {"output_validator/v.py": VALIDATOR, **files}
    place = write_package(root / "points", cases, metadata="type: scoring\n", files=files)
    return write(problems.load(place), root / "again") if again else place


def judged(judge: Judge, place: Path, words: str) -> Judgement:
    submission = Submission(source=f"print({words!r})".encode(), problem=place, language="python3")
    return judge.judge(submission, Options(stop=Stop.NEVER))


@pytest.mark.parametrize(("version", "again"), [("2023-07-draft", False), ("2025-09", True)])
def test_points_of_a_test_are_those_of_its_group(tmp_path: Path, judges: Judges, version: str, again: bool) -> None:
    place = package(tmp_path, CASES, GROUPS)
    (place / "problem.yaml").write_text((place / "problem.yaml").read_text().replace("2025-09", version))
    place = write(problems.load(place), tmp_path / "again") if again else place
    judge = judges()
    for words, added, least, score in (
        ("", ("AC", 1), ("AC", 1), 1.0),
        ("score.txt 5", ("PC", 0.5), ("PC", 5 / 30), 0.1 + 0.05 + 0.5),
        ("score.txt 10", ("AC", 1), ("PC", 10 / 30), 0.2 + 0.1 + 0.5),
        ("score_multiplier.txt 0.5", ("PC", 0.5), ("PC", 0.5), 0.1 + 0.15 + 0.5),
        ("no", ("WA", 0), ("WA", 0), 0.0),
    ):
        result = judged(judge, place, words)
        tests = {test.name: (str(test.verdict), pytest.approx(test.score)) for test in result.tests}
        assert (tests["secret/added/a"], tests["secret/least/b"]) == (added, least), words
        assert result.score == pytest.approx(score), words
        whole = ("WA", 0) if words == "no" else ("AC", 1)
        assert tests["sample/a"] == tests["secret/passed/a"] == whole, "there what it writes does not count"


def test_more_points_than_a_test_has_are_a_fault_of_the_package(tmp_path: Path, judges: Judges) -> None:
    result = judged(judges(), package(tmp_path, CASES, GROUPS), "score.txt 11")
    assert (result.tests[2].name, result.tests[2].verdict) == ("secret/added/a", "WA")
    assert "it must be a number from 0 to 10, its part of max_score" in result.tests[2].detail


@pytest.mark.parametrize(("where", "again"), [("judge.yaml", False), ("submissions.yaml", True)])
def test_unbounded_points_are_a_share_of_what_is_stated(
    tmp_path: Path, judges: Judges, where: str, again: bool
) -> None:
    files = {"data/secret/test_group.yaml": UNBOUNDED}
    if where == "judge.yaml":
        files["judge.yaml"] = "groups: {secret: {points: 1000}}\n"
    else:
        files |= {
            "submissions/submissions.yaml": "accepted/best.py: {score: [900, 1000]}\naccepted/poor.py: {score: 9}\n"
        }
    place = package(tmp_path, {"sample/1": ("", ""), "secret/1": ("", ""), "secret/2": ("", "")}, files, again=again)
    problem = problems.load(place)
    assert (problem.points, problem.cases[1].full_score) == (1000, 500)
    assert problem.checker.convention is Convention.ICPC_UNBOUNDED
    judge = judges()
    for words, verdict, score in (
        ("score.txt 125", "PC", 0.25),
        ("score.txt 500", "AC", 1.0),
        ("score.txt 1e9", "AC", 1.0),  # better than stated: no fault of the package
        ("score.txt 0", "PC", 0.0),  # accepted, and worth nothing
        ("score.txt inf", "WA", 0.0),
        ("score_multiplier.txt 1", "WA", 0.0),
        ("", "WA", 0.0),
        ("no", "WA", 0.0),
    ):
        result = judged(judge, place, words)
        assert (result.tests[1].verdict, result.score) == (verdict, score), words
    assert judged(judge, place, "score.txt 125").tests[1].detail == "125 points"


def test_an_accepted_submission_may_earn_a_part(tmp_path: Path, judges: Judges) -> None:
    """Each of its tests is accepted: submissions.yaml says how much it earns."""
    files = {f"submissions/accepted/{name}.py": f"print('score.txt {points}')\n" for name, points in
             (("best", 500), ("half", 250), ("some", 200))}  # fmt: skip
    rules = "accepted/best.py: {score: 1000}\naccepted/half.py: {score: 500}\naccepted/some.py: {score: [100, 600]}\n"
    files |= {"submissions/submissions.yaml": rules, "data/secret/test_group.yaml": UNBOUNDED}
    place = package(tmp_path, {"secret/1": ("", ""), "secret/2": ("", "")}, files)
    assert {one.path.stem: one.score for one in problems.load(place).submissions} == {
        "best": 1,
        "half": 0.5,
        "some": None,
    }
    assert [one.complaint for one in verify(judges(), place)] == [None] * 3
    (place / "submissions/submissions.yaml").write_text("accepted/best.py: {score: .inf}\n")
    with pytest.raises(ProblemError, match="nothing says of how much"):
        problems.load(place)


def test_unbounded_groups_share_what_the_others_leave(tmp_path: Path) -> None:
    files = {
        "data/secret/test_group.yaml": UNBOUNDED,
        "data/secret/added/test_group.yaml": "score_aggregation: sum\n",
        "data/secret/least/test_group.yaml": "max_score: unbounded\nscore_aggregation: min\n",
        "data/secret/passed/test_group.yaml": "max_score: 50\n",
        "submissions/submissions.yaml": "best.py: {score: 250}\n",
    }
    problem = problems.load(package(tmp_path, CASES, files))
    assert {group.name: group.points for group in problem.groups if group.counted} == {
        "secret/added": 100,
        "secret/least": 100,
        "secret/passed": 50,
    }
    full = {case.name: case.full_score for case in problem.cases}
    assert (full["secret/added/a"], full["secret/least/a"], full["secret/passed/a"]) == (50, 100, None)
    files["judge.yaml"] = "groups: {secret/added: {points: 30}, secret/least: {points: 40}}\n"
    assert problems.load(package(tmp_path / "b", CASES, files)).points == 120
