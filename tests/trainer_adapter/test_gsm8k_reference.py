"""1 000 varied answers: the rewards of GSM8K take the same for right as math_verify does."""

from __future__ import annotations

import random
from fractions import Fraction

from math_verify import parse, verify

from trainer_adapter.rewards import gsm8k

ANSWERS = 1000


def decimal(value: Fraction) -> str:
    return f"{float(value):.2f}".rstrip("0").rstrip(".")


def written(value: Fraction, random: random.Random) -> str:
    """One way to write it, as models do."""
    whole = value.denominator == 1
    ways = [decimal(value), f"{decimal(value)}.0" if whole else decimal(value), f" {decimal(value)} "]
    ways += [f"{value.numerator:,}" if whole else decimal(value), f"\\${decimal(value)}", f"x = {decimal(value)}"]
    ways += [f"{decimal(value)} \\text{{ apples}}", f"{decimal(value)}\\,\\text{{km}}"]
    sign, above = "-" if value < 0 else "", abs(value.numerator)
    ways += [
        f"{sign}\\frac{{{above}}}{{{value.denominator}}}",
        f"{sign}\\dfrac{{{3 * above}}}{{{3 * value.denominator}}}",
    ]
    ways += [f"{sign}{above}/{value.denominator}"]
    return random.choice(ways)


def agrees(gold: str, completion: str) -> bool:
    """By the reference. Its time-outs need signals, and these texts are short."""
    read = (parse(text, parsing_timeout=None) for text in (gold, completion))
    return bool(verify(*read, timeout_seconds=None))


def test_answers_are_read_as_a_reference_reads_them() -> None:
    rng = random.Random(0)
    differ, right, seen = [], 0, set()
    for _ in range(ANSWERS):
        value = Fraction(rng.randrange(-20_000, 2_000_000), rng.choice([1, 1, 1, 2, 4, 5, 20]))
        given = value if rng.random() < 0.6 else value + rng.choice([-1, 1, Fraction(1, 4), -value * 2])
        completion = f"So the answer is \\boxed{{{written(given, rng)}}}."
        seen.add(completion)
        ours = gsm8k.correctness([completion], answer=[f"#### {decimal(value)}"]) == [2.0]
        theirs = agrees(f"\\boxed{{{decimal(value)}}}", completion)
        right += ours
        if ours != theirs or ours != (given == value):
            differ.append((decimal(value), completion, ours, theirs))
    assert differ == []
    assert 500 < right < 700
    assert len(seen) > 990
