"""Rewards for answers that are numbers."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest

from judge.common.errors import ConfigError
from trainer_adapter.data.config import ANSWER_PROMPT
from trainer_adapter.rewards import gsm8k

GOOD = "<reasoning>\n48 / 2 = 24, 48 + 24 = 72\n</reasoning>\n<answer>\\boxed{72}</answer>"

NUMBERS = {
    "72": 72,
    " 72. ": 72,
    "-2": -2,
    "−2": -2,
    "+7": 7,
    "1,234.50": Fraction("1234.5"),
    "1{,}234": 1234,
    "\\$1,000,000": 1_000_000,
    "$5": 5,
    "-$5": -5,
    "50%": 50,
    "50\\%": 50,
    "3/4": Fraction(3, 4),
    "1 1/2": Fraction(3, 2),
    "\\frac{3}{4}": Fraction(3, 4),
    "-\\dfrac{1}{2}": Fraction(-1, 2),
    "½": Fraction(1, 2),
    "1½": Fraction(3, 2),
    ".5": Fraction(1, 2),
    "1e3": 1000,
    "12 apples": 12,
    "12\\text{ apples}": 12,
    "25 m^2": 25,
    "25 cm²": 25,
    "8*9 = 72": 72,
    "x = 7": 7,
    "１２": 12,
    "答案是 12 元": 12,
}
NO_NUMBERS = ["", "none", "5 to 10", "3:30", "2^3", "10-5", "1.2.3", "2 3", "5/0", "1,23", "x2", "9" * 1001]


@pytest.mark.parametrize(("text", "value"), NUMBERS.items())
def test_the_number_of_a_text(text: str, value: Fraction) -> None:
    assert gsm8k.number(text) == value


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_no_number_or_several(text: str) -> None:
    assert gsm8k.number(text) is None


#: completion, whether its answer is 72
COMPLETIONS = {
    "the format": (GOOD, True),
    "no box": ("<answer>72</answer>", True),
    "box alone": ("So it is $\\boxed{72}$.", True),
    "box with braces": ("\\boxed{\\text{It is } 72}", True),
    "the mark": ("48 + 24 = 72\n#### 72\nDone", True),
    "thinking is no answer": ("<think>\\boxed{72}</think>I do not know.", False),
    "after thinking": ("<think>\\boxed{1}</think>\\boxed{72}", True),
    "the last answer": ("<answer>1</answer><answer>72</answer>", True),
    "not an earlier one": ("<answer>72</answer><answer>1</answer>", False),
    "the last box": ("\\boxed{1} … \\boxed{72}", True),
    "in percent": ("<answer>7200%</answer>", True),
    "a digit more": ("<answer>720</answer>", False),
    "cut off": ("<answer>72", False),
    "open box": ("\\boxed{72", False),
    "a number in prose": ("It is 72.", False),
    "both of two": ("<answer>72 or 73</answer>", False),
    "empty": ("", False),
}


@pytest.mark.parametrize(("completion", "right"), COMPLETIONS.values(), ids=COMPLETIONS)
def test_correctness(completion: str, right: bool) -> None:
    message = [{"role": "assistant", "content": completion}]
    assert gsm8k.correctness(completions=[completion], answer=["x #### 72"]) == [2.0 * right]
    assert gsm8k.correctness(completions=[message], answer=["72"]) == [2.0 * right]


#: completion, integer, strict, soft, tags
FORMATS = {
    "the format": (GOOD, 0.5, 0.5, 0.5, 0.5),
    "on one line": (GOOD.replace("\n", ""), 0.5, 0.0, 0.5, 0.5),
    "no reasoning": ("<reasoning>\n</reasoning>\n<answer>72</answer>", 0.5, 0.0, 0.5, 0.5),
    "text before": (f"Well. {GOOD}", 0.5, 0.0, 0.5, 0.5),
    "text after": (f"{GOOD} That's it.", 0.5, 0.0, 0.5, 0.5 - 0.001 * len("That's it.")),
    "a tag twice": (GOOD.replace("<answer>", "<answer><answer>"), 0.5, 0.0, 0.5, 0.375),
    "wrong order": ("<answer>72</answer>\n<reasoning>x</reasoning>", 0.5, 0.0, 0.0, 0.5 - 0.001 * 24),
    "no integer": (GOOD.replace("72}", "7.2}"), 0.0, 0.5, 0.5, 0.5),
    "nothing": ("", 0.0, 0.0, 0.0, 0.0),
    "a long tail": (GOOD + "!" * 10_000, 0.5, 0.0, 0.5, 0.0),
}


@pytest.mark.parametrize(("completion", "integer", "strict", "soft", "tags"), FORMATS.values(), ids=FORMATS)
def test_format(completion: str, integer: float, strict: float, soft: float, tags: float) -> None:
    functions = (gsm8k.integer, gsm8k.strict_format, gsm8k.soft_format, gsm8k.tag_count)
    rewards = [function(completions=[completion], answer=["72"], prompts=["?"])[0] for function in functions]
    assert rewards == pytest.approx([integer, strict, soft, tags])


def test_what_the_prompt_asks_for_is_what_is_rewarded() -> None:
    form = ANSWER_PROMPT.partition("<reasoning>")
    completion = (form[1] + form[2]).replace("\\boxed{...}", "\\boxed{72}")
    assert [function(completions=[completion], answer=["72"]) for function in gsm8k.REWARDS] == [
        [2.0], [0.5], [0.5], [0.5], [0.5],
    ]  # fmt: skip


@pytest.mark.parametrize("function", gsm8k.REWARDS)
def test_a_row_without_a_readable_answer_is_none_of_ours(function: gsm8k.Reward) -> None:
    rewards = function(completions=[GOOD] * 4, answer=["72", None, "unknown", "#### 72"])
    assert [reward is None for reward in rewards] == [False, True, True, False]
    assert pickle.loads(pickle.dumps(function)) is function


def test_a_missing_column_is_said() -> None:
    with pytest.raises(ConfigError, match="column answer"):
        gsm8k.correctness(completions=[GOOD])
