"""Rewards for word problems whose answer is a number (GSM8K), in the format that `ANSWER_PROMPT` asks for.

    from trainer_adapter.rewards import gsm8k
    GRPOTrainer(reward_funcs=list(gsm8k.REWARDS), …)

The column `answer` holds the right answer, as in GSM8K (``… #### 72``) or alone. If a row's answer is missing or cannot
be read, every function gives None for it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from fractions import Fraction

from judge.common.errors import ConfigError
from judge.languages import extraction
from judge.languages.extraction import Completion

Rewards = list[float | None]
Reward = Callable[..., Rewards]

_TAGS = ("<reasoning>", "</reasoning>", "<answer>", "</answer>")
_MARK = "####"
_BOX = "\\boxed{"

_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
_THOUSANDS = re.compile(r"(?<=\d)(?:\{,\}|,|\\,)(?=\d{3}(?!\d))")
#: Text that does not change the value: `\text{dollars}`, spaces of LaTeX, `$`, `^2` of a unit.
_NOISE = re.compile(r"\\(?:text|mathrm|mathbf|textbf)\s*\{[^{}]*\}|\\[,;:! ]|\\?\$|~|(?<=[A-Za-z}])\^\{?\d+\}?")
#: ½ and the like, after a digit.
_MIXED = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_DIGITS = r"(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,2})?(?!\.?\d)"
_NUMBER = re.compile(
    rf"(?<![\w.])(?P<sign>[-+]\s?)?(?:(?P<whole>\d+)\s+)?(?P<above>{_DIGITS})(?:\s?/\s?(?P<below>{_DIGITS}))?"
)
#: A longer text is no answer, and Python would take long to read it.
_LONGEST = 1000


def correctness(
    completions: Sequence[Completion],
    answer: Sequence[str | None] | None = None,
    prompts: Sequence[Completion] | None = None,
    **_: object,
) -> Rewards:
    """2 for the right number, however it is written.

    Raises:
        ConfigError: the data set has no column `answer`.
    """
    if answer is None:
        raise ConfigError("gsm8k rewards need a column answer, and the data set has none")
    return _rewards(completions, prompts, answer, lambda text, right: 2.0 * _equal(find_answer(text), right))


def integer(
    completions: Sequence[Completion],
    answer: Sequence[str | None] | None = None,
    prompts: Sequence[Completion] | None = None,
    **_: object,
) -> Rewards:
    """0.5 for an integer, as GSM8K's answers are."""
    return _rewards(completions, prompts, answer, lambda text, _: 0.5 * _is_integer(find_answer(text)))


def strict_format(
    completions: Sequence[Completion],
    answer: Sequence[str | None] | None = None,
    prompts: Sequence[Completion] | None = None,
    **_: object,
) -> Rewards:
    """0.5 for exactly this format: reasoning, a new line, the answer; each once, not empty, and nothing else."""
    return _rewards(completions, prompts, answer, lambda text, _: 0.5 * _strict(text))


def soft_format(
    completions: Sequence[Completion],
    answer: Sequence[str | None] | None = None,
    prompts: Sequence[Completion] | None = None,
    **_: object,
) -> Rewards:
    """0.5 for the four tags in their order, whatever is around and between them."""
    return _rewards(completions, prompts, answer, lambda text, _: 0.5 * _is_ordered(text))


def tag_count(
    completions: Sequence[Completion],
    answer: Sequence[str | None] | None = None,
    prompts: Sequence[Completion] | None = None,
    **_: object,
) -> Rewards:
    """0.125 for each tag that stands exactly once, less 0.001 for each character after the answer."""
    return _rewards(completions, prompts, answer, lambda text, _: _count(text))


REWARDS: tuple[Reward, ...] = (correctness, integer, strict_format, soft_format, tag_count)


def find_answer(text: str) -> str | None:
    """The answer that a completion gives: in the last `<answer>`, the last `\\boxed{}`, or after `####`."""
    start, end = text.rfind("<answer>"), text.rfind("</answer>")
    tagged = 0 <= start < end
    scope = text[start + len("<answer>") : end] if tagged else text
    if (boxed := _find_boxed(scope)) is not None:
        return boxed
    if _MARK in scope:
        return scope.rpartition(_MARK)[2].strip().partition("\n")[0]
    return scope if tagged else None


def number(text: str) -> Fraction | None:
    """The exact value of the one number in a text; None: none, or several. Text before the last `=` does not count.

    `1,234.50`, `$5`, `50%` (is 50), `3/4`, `1 1/2`, `\\frac{3}{4}`, `-2`, `12 apples`, `25 m^2`, full-width digits.
    """
    if len(text) > _LONGEST:
        return None
    text = unicodedata.normalize("NFKC", _MIXED.sub(" ", text)).replace("−", "-").replace("⁄", "/").rpartition("=")[2]
    text = _NOISE.sub(" ", _THOUSANDS.sub("", _FRACTION.sub(r" \1/\2", text)))
    found = list(_NUMBER.finditer(text))
    if len(found) != 1 or "^" in text:
        return None
    match = found[0]
    if match["whole"] and not match["below"]:
        return None
    below = Fraction(match["below"] or 1)
    if not below:
        return None
    value = Fraction(match["whole"] or 0) + Fraction(match["above"]) / below
    return -value if (match["sign"] or "").startswith("-") else value


def _rewards(
    completions: Sequence[Completion],
    prompts: Sequence[Completion] | None,
    answers: Sequence[str | None] | None,
    pay: Callable[[str, Fraction], float],
) -> Rewards:
    """`pay` for each completion's text and right answer. Without a column of answers only the format matters."""
    rights = [Fraction()] * len(completions) if answers is None else [_right(answer) for answer in answers]
    begun = [None] * len(completions) if prompts is None else prompts
    texts = (
        extraction.answer(completion, prompt, without=("<reasoning>",)) or ""  # which is a part of the format here
        for completion, prompt in zip(completions, begun, strict=True)
    )
    return [None if right is None else pay(text, right) for text, right in zip(texts, rights, strict=True)]


def _right(answer: str | None) -> Fraction | None:
    return None if answer is None else number(str(answer).rpartition(_MARK)[2])


def _equal(answer: str | None, right: Fraction) -> bool:
    value = None if answer is None else number(answer)
    if value is None or answer is None:
        return False
    return value == right or ("%" in answer and value / 100 == right)


def _is_integer(answer: str | None) -> bool:
    value = None if answer is None else number(answer)
    return value is not None and value.denominator == 1


def _find_boxed(text: str) -> str | None:
    start = text.rfind(_BOX)
    depth = 0
    for place in range(start + len(_BOX) - 1, len(text)) if start >= 0 else ():
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return text[start + len(_BOX) : place]
    return None


def _is_ordered(text: str) -> bool:
    place = 0
    for tag in _TAGS:
        place = text.find(tag, place)
        if place < 0:
            return False
        place += len(tag)
    return True


def _strict(text: str) -> bool:
    text = text.strip()
    if not (_is_ordered(text) and all(text.count(tag) == 1 for tag in _TAGS)):
        return False
    before, reasoning, between, answer, after = re.split("|".join(_TAGS), text)
    return bool(not before and reasoning.strip() and between in ("\n", "\r\n") and answer.strip() and not after)


def _count(text: str) -> float:
    tail = text.rpartition(_TAGS[-1])[2].strip() if _TAGS[-1] in text else ""
    return max(0.0, 0.125 * sum(text.count(tag) == 1 for tag in _TAGS) - 0.001 * len(tail))
