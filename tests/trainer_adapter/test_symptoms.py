"""Each way in which a run goes wrong in silence is recognised by its log; a healthy log gives no alarm."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from trainer_adapter.health.page import CHARTS, render
from trainer_adapter.health.symptoms import LASTING, Log, symptoms

STEPS = 12


def healthy(step: int) -> dict[str, float]:
    """A run that learns: as TRL and the reward functions log it."""
    accepted = 0.25 + 0.05 * step
    return {
        "step": step,
        "loss": 0.0,
        "grad_norm": 0.1,
        "reward": accepted,
        "reward_std": 0.4,
        "frac_reward_zero_std": 0.2,
        "rewards/accepted/mean": accepted,
        "rewards/accepted/std": 0.4,
        "entropy": 0.9 - 0.05 * step,
        "kl": 0.0 if step < 2 else 0.01 * step,
        "completions/mean_length": 180.0,
        "completions/clipped_ratio": 0.02,
        "completions/mean_terminated_length": 178.0,
        "adapter/change": 0.02,
        "adapter/moved": 1.0,
        "adapter/narrowed": 0.0,
        "learning_rate": 1e-5,
        "judge/accepted": accepted,
        "judge/wa": 1 - accepted,
        "judge/infra": 0.0,
        "judge/freopen": 0.0,
        "judge/suspicious": 0.0,
        "judge/unique_programs": 6.0 - 0.3 * step,
        "judge/wait_share": 0.1,
        "step_time": 10.0,
    }


def history(change: Callable[[int], dict[str, float]] = lambda step: {}) -> list[Log]:
    return [healthy(step) | change(step) for step in range(STEPS)]


def names(change: Callable[[int], dict[str, float]]) -> set[str]:
    return {symptom.name for symptom in symptoms(history(change), beta=0.04)}


def nothing(verdict: str) -> dict[str, float]:
    """No completion is rewarded, and all come to the same end."""
    silent = {"reward": 0.0, "frac_reward_zero_std": 1.0, "grad_norm": 0.0, "reward_std": 0.0}
    return silent | {"judge/accepted": 0.0, "judge/wa": 0.0, f"judge/{verdict}": 1.0, "rewards/accepted/std": 0.0}


def test_a_healthy_run_gives_no_alarm() -> None:
    assert symptoms(history(), beta=0.04) == []
    assert symptoms([]) == []
    assert symptoms([{"eval_reward": 0.1}]) == []


def test_tokens_are_cumulative_and_no_alarm() -> None:
    assert names(lambda step: {"num_tokens": 10347.0 * (step + 1)}) == set()


@pytest.mark.parametrize(
    ("verdict", "cause"),
    [
        ("no_code", "no completion holds a complete fenced program"),
        ("ce", "programs do not compile"),
        ("wa", "too hard"),
        ("tle", "limits in another unit"),
    ],
)
def test_no_reward_is_explained_by_the_verdicts(verdict: str, cause: str) -> None:
    found = {each.name: each for each in symptoms(history(lambda step: nothing(verdict)))}
    assert cause in found["no-reward"].cause
    assert f"100% {verdict}" in found["no-reward"].says
    assert "infrastructure" not in found


def test_a_lost_judge_is_named_alone() -> None:
    """What else there is to see follows from it: a reward that is no number, a gradient of 0."""
    (found,) = symptoms(history(lambda step: nothing("infra") | {"reward": math.nan, "grad_norm": 0.0}))
    assert (found.name, found.cause) == ("infrastructure", "the judge fails, not the programs")


def test_one_silent_step_is_no_alarm() -> None:
    assert names(lambda step: nothing("wa") if step == STEPS - 1 else {}) == set()


def constant(step: int) -> dict[str, float]:
    return {"reward": 0.5, "frac_reward_zero_std": 1.0, "grad_norm": 0.0, "judge/accepted": 0.3, "judge/wa": 0.7}


def test_a_constant_reward_is_called_so() -> None:
    (found,) = (each for each in symptoms(history(constant)) if each.name == "no-variance")
    assert "a reward function is constant" in found.cause
    assert "30% accepted" in found.cause


def test_solved_problems_are_called_so() -> None:
    solved = {"reward": 1.0, "frac_reward_zero_std": 1.0, "judge/accepted": 1.0, "judge/wa": 0.0}
    (found,) = symptoms(history(lambda step: solved))
    assert found.name == "no-variance"
    assert "solved" in found.cause


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("not-a-number", lambda step: {"loss": float("nan")}),
        ("not-a-number", lambda step: {"reward": float("inf")}),
        ("not-a-number", lambda step: {"entropy": float("nan")}),
        ("not-a-number", lambda step: {"entropy": None}),
        ("no-variance", lambda step: {"frac_reward_zero_std": 0.9}),
        ("mostly-tle", lambda step: {"judge/tle": 0.62, "judge/wa": 0.08, "judge/accepted": 0.3, "reward": 0.3}),
        ("mostly-ce", lambda step: {"judge/ce": 0.7, "judge/wa": 0.0, "judge/accepted": 0.3, "reward": 0.3}),
        ("mostly-no-code", lambda step: {"judge/no_code": 0.7, "judge/wa": 0.0, "judge/accepted": 0.3, "reward": 0.3}),
        ("same-programs", lambda step: {"judge/unique_programs": max(1.0, 15 - 2.0 * step)}),
        ("infrastructure", lambda step: {"judge/infra": 0.05}),
        ("disconnected", lambda step: {"grad_norm": 0.0}),
        ("unchanged", lambda step: {"adapter/change": 0.0}),
        ("narrowed", lambda step: {"adapter/narrowed": 1.0 if step == STEPS - 1 else 0.0}),
        ("swallowed", lambda step: {"adapter/moved": 0.55}),
        ("cut", lambda step: {"completions/clipped_ratio": 0.8}),
        ("length-collapse", lambda step: {"completions/mean_length": 1.0}),
        ("entropy-collapse", lambda step: {"entropy": 1.0 if step < 2 else 0.01, "reward": 0.3}),
        ("diverging", lambda step: {"entropy": 0.13 + 0.1 * step, "reward": 0.5 - 0.04 * step}),
        ("dead-function", lambda step: {"rewards/tags/mean": 0.0, "rewards/tags/std": 0.0}),
        ("hacking", lambda step: {"judge/suspicious": 0.04}),
        ("freopen", lambda step: {"judge/freopen": 0.3}),
        ("overfitting", lambda step: {"eval_reward": 0.5 - 0.02 * step}),
        ("slow-judge", lambda step: {"judge/wait_share": 0.8}),
        ("kl-explodes", lambda step: {"kl": 50.0 if step == STEPS - 1 else 0.02}),
        ("kl-explodes", lambda step: {"kl": float("nan") if step == STEPS - 1 else 0.02}),
        ("kl-zero", lambda step: {"kl": 0.0}),
    ],
)
def test_symptom(name: str, change: Callable[[int], dict[str, float]]) -> None:
    assert names(change) == {name}


@pytest.mark.parametrize(
    "change",
    [
        lambda step: {"frac_reward_zero_std": 0.89},
        lambda step: {"judge/tle": 0.59, "judge/wa": 0.1, "judge/accepted": 0.31, "reward": 0.31},
        lambda step: {"judge/tle": 0.9 if step % LASTING else 0.3, "judge/wa": 0.1},
        lambda step: {"judge/unique_programs": 15 - 0.8 * step},
    ],
)
def test_what_is_short_of_a_symptom_is_no_alarm(change: Callable[[int], dict[str, float]]) -> None:
    assert names(change) == set()


def test_an_entropy_that_is_no_number_is_told_from_a_loss_that_is_none() -> None:
    (found,) = symptoms(history(lambda step: {"entropy": float("nan")}))
    assert "though the loss is" in found.says
    assert "-inf" in found.cause


def test_a_function_that_scored_nothing_is_logged_as_none_and_is_not_dead() -> None:
    assert names(lambda step: {"rewards/tags/mean": None, "rewards/tags/std": None}) == set()


def test_dead_groups_are_counted() -> None:
    (found,) = symptoms(history(lambda step: {"frac_reward_zero_std": 0.92}))
    assert found.says.startswith(f"in 92% of the groups of the last {LASTING} steps")
    assert "judge-train filter" in found.remedy


def test_one_program_for_all_that_is_accepted_is_called_solved() -> None:
    solved = {"reward": 1.0, "frac_reward_zero_std": 1.0, "judge/accepted": 1.0, "judge/wa": 0.0}
    assert names(lambda step: {**solved, "judge/unique_programs": 15.0 if step < LASTING else 1.0}) == {"no-variance"}


def preferring(step: int) -> dict[str, float]:
    """A run of DPO that learns."""
    return {
        "step": step,
        "loss": 0.69 - 0.02 * step,
        "grad_norm": 0.1,
        "rewards/margins": 0.1 * step,
        "logps/chosen": -20.0 - 0.2 * step,
        "logps/rejected": -22.0 - step,
        "adapter/change": 0.02,
        "adapter/moved": 1.0,
        "adapter/narrowed": 0.0,
        "learning_rate": 1e-5,
    }


@pytest.mark.parametrize(
    ("found", "change"),
    [
        (set(), lambda step: {}),
        (set(), lambda step: {"logps/chosen": -20.0 - 2 * step, "rewards/margins": -0.1 * step}),
        ({"not-a-number"}, lambda step: {"loss": float("nan")}),
        ({"unchanged"}, lambda step: {"adapter/change": 0.0}),
        ({"other-reference"}, lambda step: {"rewards/margins": 0.01 + 0.1 * step}),
        ({"forgetting"}, lambda step: {"logps/chosen": -20.0 - 2 * step}),
    ],
)
def test_symptoms_of_learning_from_examples(found: set[str], change: Callable[[int], dict[str, float]]) -> None:
    log = [preferring(step) | change(step) for step in range(STEPS)]
    assert {symptom.name for symptom in symptoms(log)} == found
    assert "Margin of the chosen answers" in render(log, symptoms(log), "dpo")


def test_what_float32_swallows_where_a_schedule_ends_is_no_alarm() -> None:
    assert names(lambda step: {"adapter/moved": 0.3, "learning_rate": 1e-9} if step >= STEPS - 5 else {}) == set()


def test_kl_is_no_matter_where_it_is_not_asked_for() -> None:
    assert symptoms(history(lambda step: {"kl": 0.0}), beta=0.0) == []


def test_completions_that_never_end_are_told_from_long_ones() -> None:
    endless = {"completions/clipped_ratio": 1.0, "completions/mean_terminated_length": 0.0}
    (found,) = symptoms(history(lambda step: endless))
    assert "end-of-turn token" in found.cause


def test_every_finding_says_what_why_and_what_to_do() -> None:
    found = symptoms(history(constant))
    assert found
    for each in found:
        assert all((each.says, each.cause, each.remedy))
        assert each.name in str(each)


def test_the_report_shows_curves_and_findings() -> None:
    page = render(history(constant), symptoms(history(constant)), "a run <of mine>")
    assert "a run &lt;of mine&gt;" in page
    assert "a reward function is constant" in page
    assert page.count("<svg") == sum(any(name in healthy(0) for name in columns) for columns in CHARTS.values())
    assert "nan" not in render(history(lambda step: {"loss": float("nan"), "kl": float("nan")}), [], "x").lower()


def test_the_report_of_a_run_that_never_began() -> None:
    assert "No symptom" in render([], [], "nothing")
