"""pass@k against its definition, what counts and what does not, and comparisons."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.cli import main as judge
from judge.common.errors import ConfigError
from judge.common.models import Verdict
from trainer_adapter.commands.main import main
from trainer_adapter.rollouts import evaluation
from trainer_adapter.rollouts.evaluation import compare, evaluate, pass_at_k
from trainer_adapter.rollouts.row import Rollout, read


@given(st.data())
def test_pass_at_k_is_what_its_definition_says(data: st.DataObject) -> None:
    samples = data.draw(st.integers(1, 2000))
    accepted, k = data.draw(st.integers(0, samples)), data.draw(st.integers(1, samples))
    exact = 1 - Fraction(comb(samples - accepted, k), comb(samples, k))
    assert pass_at_k(samples, accepted, k) == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize(("samples", "accepted", "k"), [(4, 5, 1), (4, -1, 1), (4, 2, 5), (4, 2, 0), (0, 0, 1)])
def test_pass_at_k_without_a_meaning(samples: int, accepted: int, k: int) -> None:
    with pytest.raises(ValueError, match="no meaning"):
        pass_at_k(samples, accepted, k)


def rollouts(**problems: str) -> list[Rollout]:
    """One letter a sample: accepted, wrong, failure of ours, not judged."""
    verdicts = {"a": Verdict.AC, "w": Verdict.WA, "i": Verdict.IE, "n": None}
    return [
        Rollout(
            id=f"{problem}#{sample}", problem=problem, sample=sample, verdict=verdicts[letter], difficulty=problem[0]
        )
        for problem, letters in problems.items()
        for sample, letter in enumerate(letters)
    ]


def test_a_failure_of_ours_is_not_counted_as_wrong() -> None:
    found = evaluate(rollouts(x="aiin", y="wa"))
    rate = found.rate(1)
    assert rate is not None
    assert (rate.mean, found.not_judged, found.verdicts) == (0.75, 3, {"AC": 2, "WA": 1})


def test_each_problem_has_the_same_weight() -> None:
    rate = evaluate(rollouts(x="a", y="wwwwwwwwww")).rate(1)
    assert rate is not None
    assert rate.mean == 0.5


def test_groups_and_what_has_too_few_samples() -> None:
    found = evaluate(rollouts(x1="aw", x2="ww", y1="a"))
    assert {name: len(among) for name, among in found.groups().items()} == {"difficulty x": 2, "difficulty y": 1}
    two = found.rate(2)
    assert two is not None
    assert (two.mean, two.problems) == (0.5, 2)
    assert found.most_k() == 1
    assert found.rate(3) is None


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    dice, covered = random.Random(0), 0
    for _ in range(100):
        rate = evaluate(rollouts(**{f"p{n}": "a" if dice.random() < 0.4 else "w" for n in range(60)})).rate(1)
        assert rate is not None
        covered += rate.low <= 0.4 <= rate.high
    assert 88 <= covered <= 100


@pytest.mark.parametrize(
    ("letters", "low", "high"), [("aaaa", 0.6915, 1.0), ("wwww", 0.0, 0.3085), ("awwa", 0.5 - 0.15425, 0.5 + 0.15425)]
)
def test_an_interval_of_problems_that_are_all_alike_is_no_point(letters: str, low: float, high: float) -> None:
    """Of 10 problems. As of Clopper and Pearson: 0.025 ^ 0.1 = 0.6915."""
    rate = evaluate(rollouts(**{f"p{n}": letters for n in range(10)})).rate(1)
    assert rate is not None
    assert (rate.low, rate.high) == pytest.approx((low, high), abs=1e-4)


def test_equal_runs_may_differ_on_other_problems() -> None:
    one = evaluate(rollouts(**{f"p{n}": "a" if n % 2 else "w" for n in range(10)}))
    found = compare(one, one, 1).difference
    assert (found.mean, found.low, found.high) == pytest.approx((0.0, -0.3085, 0.3085), abs=1e-4)


def test_an_id_that_stands_twice_is_refused() -> None:
    with pytest.raises(ConfigError, match="'x#0' stands there twice"):
        evaluate(rollouts(x="a") * 2)


def test_comparison_is_paired() -> None:
    """Each problem is a little better; the problems differ far more than the runs do."""
    before = evaluate(rollouts(**{f"p{n}": "a" * n + "w" * (20 - n) for n in range(16)}))
    after = evaluate(rollouts(**{f"p{n}": "a" * (n + 2) + "w" * (18 - n) for n in range(16)}, other="a"))
    found = compare(after, before, 1)
    assert found.difference.mean == pytest.approx(0.1)
    assert (found.better, found.worse, found.left_out) == (16, 0, 1)
    assert found.p_value == pytest.approx(2 / 2**16)
    assert compare(before, before, 1).p_value == 1.0
    with pytest.raises(ConfigError, match="no problem in common"):
        compare(before, evaluate(rollouts(z="a")), 1)


def test_the_p_value_of_equal_runs_is_seldom_small() -> None:
    dice, small = random.Random(1), 0
    for _ in range(40):
        first, second = (
            evaluate(rollouts(**{f"p{n}": "".join(dice.choice("aw") for _ in range(4)) for n in range(30)}))
            for _ in range(2)
        )
        small += compare(first, second, 1).p_value < 0.05
    assert small <= 6


def test_what_judge_batch_writes_is_evaluated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the real judge, one row that it cannot read, and one completion without a program."""
    right, wrong = "```cpp\n#include <iostream>\nint main(){long long a,b;std::cin>>a>>b;std::cout<<a+b;}\n```", "none"
    rows = [
        {"id": "P1001#0", "problem": "P1001", "completion": right},
        {"id": "P1001#1", "problem": "P1001", "completion": wrong},
        {"id": "P0#0", "problem": "no such problem", "completion": right},
    ]
    file, results = tmp_path / "rollouts.jsonl", tmp_path / "results.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows) + "no JSON\n")
    assert judge(["batch", str(file), "-o", str(results)]) == 1
    capsys.readouterr()
    assert main(["eval", str(results), "-k", "1", "-k", "2", "--json", "-"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["verdicts"] == {"AC": 1, "CE": 1}
    assert (figures["rollouts"], figures["not_judged"]) == (4, 2)
    assert (figures["pass@1"]["mean"], figures["pass@2"]["mean"]) == (0.5, 1.0)
    assert main(["eval", str(results), "--against", str(results)]) == 0
    said = capsys.readouterr().out
    assert "pass@1: 50.0%" in said
    assert "p = 1" in said


def test_messages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rollouts.jsonl"
    file.write_text("".join(each.line() for each in rollouts(x="aw", y="nn")))
    assert list(read(file)) == rollouts(x="aw", y="nn")
    assert main(["eval", str(file), "-k", "3"]) == 2
    assert "a problem has 2 judged samples: pass@3 needs more" in capsys.readouterr().err
    file.write_text(rollouts(x="n")[0].line())
    assert main(["eval", str(file)]) == 1
    assert "none of 1 rollouts was judged" in capsys.readouterr().err
    file.write_text('{"id": "a", "problem": 5}\n')
    assert main(["eval", str(file)]) == 2
    assert f"{file}:1: no judged rollout: problem" in capsys.readouterr().err
    assert main(["eval", str(tmp_path / "none.jsonl")]) == 2
    assert "No such file" in capsys.readouterr().err


@pytest.mark.parametrize(("solved", "low", "high"), [(1.0, 0.6915, 1.0), (0.0, 0.0, 0.3085)])
def test_all_or_none_of_ten_problems_are_no_certainty(solved: float, low: float, high: float) -> None:
    """By the tables of Clopper and Pearson: 10 of 10, and 0 of 10."""
    rate = evaluation._rate([solved] * 10)
    assert rate is not None
    assert (rate.mean, rate.low, rate.high) == (solved, pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))
