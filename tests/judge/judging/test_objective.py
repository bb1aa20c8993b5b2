"""Raw scores without a ceiling: what they are worth in [0, 1], and that they stand beside that as they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import problems
from judge import Judge, Judgement, Options, Submission
from judge.common.errors import ConfigError
from judge.ruling.objective import share_of
from problems import ProblemError
from problems.model import Direction, Normaliser, Objective
from problems.writing.write import write
from tests.packages import write_package

Judges = Callable[..., Judge]

#: The output is the raw score; "no" is refused.
VALIDATOR = """\
import sys
word = sys.stdin.read().strip()
open(sys.argv[3] + "score.txt", "w").write(word)
sys.exit(43 if word == "no" else 42)
"""
INTERACTOR = """\
import sys
print(7, flush=True)
open(sys.argv[3] + "score.txt", "w").write(input())
sys.exit(42)
"""
CASES = {"sample/1": ("0", ""), "secret/1": ("10", ""), "secret/2": ("20", "")}
MAX, MIN = Direction.MAX, Direction.MIN


@pytest.mark.parametrize(
    ("objective", "best", "baseline", "shares"),
    [
        (Objective(direction=MAX), 50.0, None, {50: 1, 25: 0.5, 80: 1, -3: 0}),
        (Objective(direction=MIN), 50.0, None, {50: 1, 100: 0.5, 20: 1, 0: 1}),
        (Objective(direction=MAX), 50.0, 10.0, {50: 1, 30: 0.5, 10: 0, 3: 0, 90: 1}),
        (Objective(direction=MIN), 10.0, 50.0, {10: 1, 30: 0.5, 50: 0, 70: 0, 3: 1}),
        (Objective(direction=MAX, normaliser=Normaliser.LOG_RATIO), 100.0, 1.0, {100: 1, 10: 0.5, 1: 0, 0: 0, 1e9: 1}),
        (Objective(direction=MIN, normaliser=Normaliser.LOG_RATIO), 1.0, 100.0, {1: 1, 10: 0.5, 100: 0, 0: 1}),
        (Objective(direction=MAX, normaliser=Normaliser.LOG_RATIO), 1e90, 1e80, {1e-320: 0, 1e85: 0.5, 1e100: 1}),
        (Objective(direction=MAX, normaliser=Normaliser.RANK, kept=(1, 2, 3, 4)), None, None, {0: 0, 2: 0.5, 9: 1}),
        (Objective(direction=MIN, normaliser=Normaliser.RANK, kept=(1, 2, 3, 4)), None, None, {9: 0, 3: 0.5, 0: 1}),
    ],
)
def test_each_normaliser(
    objective: Objective, best: float | None, baseline: float | None, shares: dict[float, float]
) -> None:
    assert {raw: share_of(objective, raw, best, baseline) for raw in shares} == pytest.approx(shares)
    better = sorted(shares, reverse=objective.direction is MIN)
    paid = [share_of(objective, raw, best, baseline) for raw in better]
    assert paid == sorted(paid), "what is better is never worth less"


def make(root: Path, objective: str, cases: str = "{}", *, version: str = "2025-09", more: str = "") -> Path:
    files = {"output_validator/v.py": VALIDATOR, "judge.yaml": f"objective: {objective}\ncases: {cases}\n"}
    place = write_package(root / "raw", CASES, metadata="type: scoring\n" + more, files=files)
    text = (place / "problem.yaml").read_text()
    if version == "legacy":
        (place / "output_validator").rename(place / "output_validators")
        text = text.replace("problem_format_version: 2025-09\n", "") + "validation: custom score\n"
    (place / "problem.yaml").write_text(text)
    return place


def judged(judge: Judge, place: Path, *words: str, options: Options | None = None) -> Judgement:
    """`words`: what the program prints on the inputs 0, 10 and 20."""
    source = f"print(dict(zip((0, 10, 20), {words!r}))[int(input())])"
    return judge.judge(Submission(source=source.encode(), problem=place, language="python3"), options)


@pytest.mark.parametrize("again", [False, True])
def test_the_raw_score_stands_beside_the_share(tmp_path: Path, judges: Judges, again: bool) -> None:
    place = make(tmp_path, "{direction: min, best: 10, baseline: 50}", "{secret/2: {best: 20, baseline: 120}}")
    place = write(problems.load(place), tmp_path / "again") if again else place
    result = judged(judges(), place, "1", "30", "70")
    tests = {test.name: (str(test.verdict), test.score, test.raw_score) for test in result.tests}
    assert tests["secret/1"] == ("PC", 0.5, 30.0)
    assert tests["secret/2"] == ("PC", 0.5, 70.0)
    assert tests["sample/1"][2] is None, "samples do not count"
    assert (result.score, result.raw_score) == (0.5, 100.0)
    told = json.loads(result.to_json())["objective"]
    assert told == {"direction": "min", "normaliser": "ratio", "best": 30.0, "baseline": 170.0}
    best = judged(judges(), place, "1", "9", "20")
    assert (best.verdict, best.score, best.raw_score) == ("AC", 1.0, 29.0)


def test_a_refused_test_has_no_raw_score(tmp_path: Path, judges: Judges) -> None:
    result = judged(judges(), make(tmp_path, "{best: 10}"), "1", "no", "10")
    assert (result.verdict, result.score, result.raw_score) == ("WA", 0.5, None)
    assert [test.raw_score for test in result.tests] == [None, None, 10.0]


@pytest.mark.parametrize("word", ["nan", "inf", "", "ten", "1e300", "-1e300"])
def test_a_raw_score_that_is_no_number_is_the_validators_fault(tmp_path: Path, judges: Judges, word: str) -> None:
    """It lives on the answer, so that the output is wrong: a program must not choose an internal error."""
    place = make(tmp_path, "{best: 10}")
    (place / "data/secret/1.ans").write_text("3")
    assert judged(judges(), place, "1", word, "10").tests[1].verdict == "WA"


def test_the_mean_of_all_tests(tmp_path: Path, judges: Judges) -> None:
    place = make(tmp_path, "{normaliser: rank, kept: [5, 10, 15, 20], total: mean}")
    result = judged(judges(), place, "1", "10", "20")
    assert (result.score, result.raw_score) == (0.75, 15.0)


def test_the_least_is_best_in_version_legacy(tmp_path: Path, judges: Judges) -> None:
    place = make(tmp_path, "{direction: min, best: 4}", version="legacy", more="grading: {objective: min}\n")
    result = judged(judges(), place, "1", "8", "16")
    assert (result.score, result.raw_score) == (0.375, 24.0)
    (place / "judge.yaml").write_text("objective: {best: 4}\n")
    with pytest.raises(ProblemError, match="but nothing says what the best score is"):
        problems.load(place)


def test_an_interactor_gives_raw_scores(tmp_path: Path, judges: Judges) -> None:
    files = {"output_validator/v.py": INTERACTOR, "judge.yaml": "objective: {best: 10}\n"}
    place = write_package(
        tmp_path / "talk", {"secret/1": ("", "")}, metadata="type: [scoring, interactive]\n", files=files
    )
    submission = Submission(source=b"print(int(input()) - 2)", problem=place, language="python3")
    result = judges().judge(submission)
    assert (result.verdict, result.score, result.raw_score) == ("PC", 0.5, 5.0)


def test_a_stored_verdict_has_all_of_it(tmp_path: Path, judges: Judges) -> None:
    place = make(tmp_path, "{best: 10, baseline: 2}")
    judge, options = judges(), Options(verdict_cache=True)
    first = judged(judge, place, "1", "6", "10", options=options)
    for _ in range(50):
        again = judged(judges(), place, "1", "6", "10", options=options)
        if again.cached:
            break
    assert again.cached
    assert (again.raw_score, again.objective, again.tests[1].raw_score) == (first.raw_score, first.objective, 6.0)


@pytest.mark.parametrize(
    ("objective", "cases", "reason"),
    [
        ("{}", "{}", "test secret/1 has no best raw score"),
        ("{}", "{secret/1: {best: 3}}", "test secret/2 has no best raw score"),
        ("{best: -3}", "{}", "without a baseline it has to be above 0"),
        ("{best: 3, baseline: 3}", "{}", "no worse than the best"),
        ("{direction: min, best: 3, baseline: 2}", "{}", "no worse than the best"),
        ("{normaliser: log-ratio, best: 3}", "{}", "has no baseline, which log-ratio needs"),
        ("{normaliser: log-ratio, best: 3, baseline: -1}", "{}", "both have to be above 0"),
        ("{normaliser: rank}", "{}", "kept and normaliser: rank belong together"),
        ("{best: 3, kept: [1]}", "{}", "kept and normaliser: rank belong together"),
        ("{normaliser: own, best: 3}", "{}", "normaliser own is for the convention frontier-cs"),
        ("{best: .inf}", "{}", "objective.best"),
        ("{bset: 3}", "{}", "objective.bset"),
    ],
)
def test_what_says_nothing_about_a_test_is_refused(tmp_path: Path, objective: str, cases: str, reason: str) -> None:
    with pytest.raises(ProblemError, match=reason):
        problems.load(make(tmp_path, objective, cases))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("checker: {convention: icpc-unbounded}\n", "convention icpc-unbounded: there is no objective"),
        ("cases: {secret/1: {best: 3}}\n", "best and baseline are of an objective"),
        ("manager: {processes: 2}\nobjective: {best: 3}\n", "a manager gives shares, no raw scores"),
    ],
)
def test_what_speaks_of_raw_scores_alone_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    place = make(tmp_path, "{best: 3}")
    if "manager" in text:
        (place / "output_validator").rename(place / "manager")
    (place / "judge.yaml").write_text(text)
    with pytest.raises(ProblemError, match=reason):
        problems.load(place)


def test_raw_scores_need_a_validator_and_scores(tmp_path: Path) -> None:
    place = make(tmp_path, "{best: 3}")
    (place / "output_validator/v.py").unlink()
    with pytest.raises(ProblemError, match="raw scores come from"):
        problems.load(place)
    place = make(tmp_path / "other", "{best: 3}")
    (place / "problem.yaml").write_text((place / "problem.yaml").read_text().replace("type: scoring\n", ""))
    with pytest.raises(ProblemError, match="the problem has no scores"):
        problems.load(place)


def test_testing_stops_where_the_score_is_out_of_reach(tmp_path: Path, judges: Judges) -> None:
    place = make(tmp_path, "{best: 10}")
    judge = judges()
    for least, verdicts in ((0.0, ["PC", "AC"]), (0.6 + 1e-12, ["PC", "AC"]), (0.7, ["PC", "SK"])):
        result = judged(judge, place, "1", "2", "10", options=Options(at_least=least))
        assert [test.verdict for test in result.tests[1:]] == verdicts
        assert result.complete is ("SK" not in verdicts)
    with pytest.raises(ConfigError, match="at_least must be a score from 0 to 1"):
        Options(at_least=10)
