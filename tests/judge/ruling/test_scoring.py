"""Scores and verdicts of the whole, as VERDICTS "Scores" has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from judge.common.models import TestResult, Verdict
from judge.ruling.scoring import Total, matters, total
from problems.errors import ProblemError
from problems.model import Aggregation, Group, Problem, ScoringScript, TestCase

SCORE = {"AC": 1.0, "WA": 0.0, "TLE": 0.0, "SK": None, "IE": None}


def judged(
    results: Sequence[tuple[str, str]],
    groups: tuple[Group, ...] = (),
    weights: Sequence[float] = (),
    partial: float = 0.5,
) -> Total:
    """Sum up tests that are given as (group, verdict) in order; the group ``sample`` holds the samples."""
    cases, found = [], {}
    for index, (group, verdict) in enumerate(results):
        name = f"{group}/{index}"
        cases.append(
            TestCase(
                name=name,
                group=group,
                input=Path("in"),
                answer=Path("ans"),
                sample=group == "sample",
                weight=weights[index] if weights else 1.0,
            )
        )
        score = partial if verdict == "PC" else SCORE[verdict]
        found[name] = TestResult(name=name, group=group, verdict=Verdict(verdict), score=score)
    problem = Problem(name="p", directory=Path(), title={}, groups=groups, cases=tuple(cases))
    return total(problem, cases, found)


def all_of(group: str, verdicts: str) -> list[tuple[str, str]]:
    return [(group, verdict) for verdict in verdicts.split()]


def test_all_accepted() -> None:
    assert judged(all_of("secret", "AC AC AC")) == Total(verdict=Verdict.AC, accepted=True, score=1.0)


def test_share_of_the_tests_and_first_failing_verdict() -> None:
    assert judged(all_of("secret", "AC TLE WA AC")) == Total(verdict=Verdict.TLE, accepted=False, score=0.5)


def test_weights() -> None:
    assert judged(all_of("secret", "AC WA"), weights=[3, 1]).score == 0.75
    assert judged(all_of("secret", "WA WA"), weights=[0, 0]).score == 0


def test_partial() -> None:
    found = judged(all_of("secret", "AC PC"), partial=0.25)
    assert found == Total(verdict=Verdict.PC, accepted=False, score=0.625)


def test_samples_do_not_count() -> None:
    assert judged([("sample", "WA"), *all_of("secret", "AC")]) == Total(verdict=Verdict.AC, accepted=True, score=1.0)


def test_samples_count_if_the_problem_says_so() -> None:
    groups = (Group(name="sample"), Group(name="secret"))
    assert judged([("sample", "WA"), *all_of("secret", "AC")], groups).verdict is Verdict.WA


def test_a_skipped_test_earns_nothing_and_is_no_verdict() -> None:
    assert judged(all_of("secret", "AC WA SK SK")) == Total(verdict=Verdict.WA, accepted=False, score=0.25)


def test_internal_error_of_a_counted_test_stands_for_the_whole() -> None:
    assert judged(all_of("secret", "WA IE AC")) == Total(verdict=Verdict.IE, accepted=False, score=None)


def test_internal_error_of_a_sample_does_not() -> None:
    assert judged([("sample", "IE"), *all_of("secret", "AC")]).accepted


@pytest.mark.parametrize(
    ("aggregation", "expected"),
    [(Aggregation.SUM, 0.75), (Aggregation.MIN, 0.5), (Aggregation.MAX, 1.0), (Aggregation.PRODUCT, 0.5)],
)
def test_aggregation(aggregation: Aggregation, expected: float) -> None:
    assert judged(all_of("a", "AC PC"), (Group(name="a", aggregation=aggregation),)).score == expected


def test_points() -> None:
    groups = (Group(name="a", points=30, aggregation=Aggregation.MIN), Group(name="b", points=70))
    assert judged(all_of("a", "AC AC") + all_of("b", "AC WA"), groups).score == pytest.approx(0.65)


def test_groups_in_a_group() -> None:
    least = Group(name="all", points=100, aggregation=Aggregation.MIN)
    a, b = Group(name="a", points=30, within="all"), Group(name="b", points=60, within="all")
    tests = [*all_of("a", "AC WA"), *all_of("b", "AC AC")]
    assert judged(tests, (least, a, b)).score == 0.5, "15 of 30 is the least, and 30 the most that it can be"
    assert judged([*all_of("a", "AC AC"), *all_of("b", "AC WA")], (least, a, b)).score == 1.0, "30 of 60 is no less"
    greatest = replace(least, aggregation=Aggregation.MAX)
    assert judged(tests, (greatest, a, b)).score == 1.0
    assert judged([*all_of("a", "AC AC"), *all_of("b", "AC WA")], (greatest, a, b)).score == 0.5
    mixed = [("all", "AC"), *all_of("a", "WA WA")]
    assert judged(mixed, (Group(name="all"), a), weights=[10, 1, 1]).score == 0.25, "10 of 40 points"
    assert judged([("a", "AC"), ("a", "WA")], (Group(name="all"), a, b)).score == 0.5, "b lost all its tests"


def test_a_refused_case_takes_the_score_of_its_group_and_of_those_around_it() -> None:
    outer, inner = Group(name="outer", points=40, void_if_refused=True), Group(name="inner", points=10, within="outer")
    other = Group(name="other", points=60)
    tests = [*all_of("outer", "AC"), *all_of("inner", "{}"), *all_of("other", "AC")]
    for verdict, score in (("WA", 0.6), ("TLE", 0.6), ("PC", pytest.approx(0.6 + 0.4 * 6 / 11))):
        assert judged([(group, text.format(verdict)) for group, text in tests], (outer, inner, other)).score == score


def test_a_group_that_lies_in_itself() -> None:
    groups = (Group(name="a", within="b"), Group(name="b", within="a"))
    with pytest.raises(ProblemError, match="lies in itself"):
        judged([("a", "WA")], groups)


def test_requirements() -> None:
    groups = (
        Group(name="a", points=20),
        Group(name="b", points=30, requires=("a",)),
        Group(name="c", points=50, requires=("b",)),
    )
    tests = [*all_of("b", "AC"), *all_of("c", "AC")]
    assert judged([("a", "AC"), *tests], groups).score == 1
    assert judged([("a", "WA"), *tests], groups).score == 0, "c needs b, and b is not passed without a"
    assert judged([("a", "AC"), ("b", "PC"), ("c", "AC")], groups).score == pytest.approx(0.35), "partly is not passed"


def test_requirement_of_samples() -> None:
    groups = (Group(name="sample", counted=False), Group(name="secret", requires=("sample",)))
    assert judged([("sample", "WA"), ("secret", "AC"), ("secret", "WA")], groups).score == 0
    tests = all_of("secret", "AC AC")
    assert judged([("sample", "WA"), *tests], groups) == Total(verdict=Verdict.WA, accepted=False, score=0.0)
    assert judged([("sample", "IE"), *tests], groups) == Total(verdict=Verdict.IE, accepted=False, score=None)
    assert judged([("sample", "AC"), *tests], groups) == Total(verdict=Verdict.AC, accepted=True, score=1.0)
    other = Group(name="other")
    half = judged([("sample", "WA"), *tests, ("other", "AC")], (*groups, other))
    assert half == Total(verdict=Verdict.WA, accepted=False, score=0.5), "only one needs the samples"


def test_a_group_that_lost_all_its_tests_counts_for_nothing() -> None:
    groups = (Group(name="a", points=50), Group(name="b", points=50))
    assert judged(all_of("a", "AC WA"), groups).score == 0.5


def test_circular_requirements() -> None:
    groups = (Group(name="a", requires=("b",)), Group(name="b", requires=("a",)), Group(name="c"))
    with pytest.raises(ProblemError, match="requires itself"):
        judged([("a", "AC"), ("b", "AC"), ("c", "WA")], groups)


def test_a_case_matters_where_verdict_or_score_can_still_change() -> None:
    low = Group(name="low", points=30, aggregation=Aggregation.MIN)
    high = Group(name="high", points=70, requires=("low",))
    names = ("sample/0", "low/1", "low/2", "high/3", "high/4")
    cases = [
        TestCase(name=name, group=group, input=Path("in"), answer=Path("ans"), sample=group == "sample")
        for name, group in ((name, name.partition("/")[0]) for name in names)
    ]
    grouped = Problem(
        name="p",
        directory=Path(),
        title={},
        groups=(Group(name="sample", counted=False), low, high),
        cases=tuple(cases),
    )
    plain = Problem(name="p", directory=Path(), title={}, groups=(), cases=tuple(cases))

    def known(**failed: str) -> dict[str, TestResult]:
        return {
            name.replace("_", "/"): TestResult(name=name, group="", verdict=Verdict(verdict), score=SCORE[verdict])
            for name, verdict in failed.items()
        }

    def which(problem: Problem, **failed: str) -> list[str]:
        return [case.name for case in cases if matters(problem, cases, known(**failed), case)]

    assert which(plain) == [*names[1:]], "all but the sample"
    assert which(plain, low_1="WA") == [*names[1:]], "the score still changes"
    assert which(grouped) == [*names[1:]]
    assert which(grouped, low_1="WA") == ["low/1"], "its group has nothing any more, nor has what requires it"
    assert which(grouped, high_3="WA") == [*names[1:]]
    assert which(plain, low_1="IE") == ["low/1"], "an IE stands for the whole"
    greatest = replace(grouped, groups=(*grouped.groups[:2], replace(high, aggregation=Aggregation.MAX)))
    assert which(greatest, low_1="WA") == [*names[1:]], "any may be the greatest"


REST = "@final_status = AC; @final_time = @time1; @final_memory = @memory1;"
#: 30 points, and 10 more if test 2 is right; a division by zero if test 1 is not.
SCRIPT = f"@total_score = 30 * @score1 / @score1; if @status2 == AC; then @total_score = 40; fi {REST}"


def scripted(text: str, *names: str) -> ScoringScript:
    return ScoringScript(text=text, numbers={name: number for number, name in enumerate(names, 1)})


@pytest.mark.parametrize(("verdicts", "score"), [("AC AC", 1), ("AC WA", 0.75), ("WA AC", 0)])
def test_a_script_gives_the_points(verdicts: str, score: float) -> None:
    group = Group(name="secret", points=40, script=scripted(SCRIPT, "secret/0", "secret/1"))
    assert judged(all_of("secret", verdicts), (group,), weights=[10, 10]).score == score


def test_a_script_decides_even_where_all_is_accepted_and_gives_at_most_all() -> None:
    for given, score in ((10, 0.25), (400, 1), (-5, 0)):
        script = scripted(f"@total_score = {given}; {REST}", "secret/0")
        group = Group(name="secret", points=40, script=script)
        assert judged(all_of("secret", "AC"), (group,)) == Total(verdict=Verdict.AC, accepted=True, score=score)


def test_a_script_over_subtasks_learns_what_became_of_them() -> None:
    text = f"@total_score = @score2 + 50 * (@status1 == AC and @status2 == UNAC); {REST}"
    groups = (
        Group(name="all", points=100, script=scripted(text, "one", "two")),
        Group(name="one", points=20, aggregation=Aggregation.MIN, within="all"),
        Group(name="two", points=60, within="all", script=scripted(SCRIPT, "two/1", "two/2")),
    )
    assert judged([*all_of("one", "AC"), *all_of("two", "AC WA")], groups, weights=[1, 5, 5]).score == 0.3
    failed = "@final_status = UNAC; @final_time = 0; @final_memory = 0; @total_score = 5;"
    groups = (*groups[:2], replace(groups[2], script=scripted(failed, "two/1")))
    assert judged([*all_of("one", "AC"), *all_of("two", "AC WA")], groups, weights=[1, 5, 5]).score == 0.55


def test_a_script_of_a_group_gives_nothing_unless_what_it_requires_is_passed() -> None:
    text = f"@total_score = @score1 + @score2; {REST}"
    script = scripted(f"@total_score = 50; {REST}", "two/1")
    groups = (
        Group(name="all", points=100, script=scripted(text, "one", "two")),
        Group(name="one", points=50, aggregation=Aggregation.MIN, within="all"),
        Group(name="two", points=50, within="all", requires=("one",), script=script),
    )
    assert judged([("one", "WA"), ("two", "AC")], groups).score == 0
    assert judged([("one", "AC"), ("two", "WA")], groups).score == 1


def test_a_chain_of_scripts_is_run_once_each() -> None:
    names = [f"g{number}" for number in range(60)]
    text = f"@total_score = @score1; {REST}"
    groups = [Group(name=names[0])] + [
        Group(name=inner, within=outer, script=scripted(text, after) if number % 2 else None)
        for number, (outer, inner, after) in enumerate(zip(names[:-1], names[1:], [*names[2:], "g59/0"], strict=True))
    ]
    assert judged(all_of("g59", "AC"), tuple(groups)).score == 1
