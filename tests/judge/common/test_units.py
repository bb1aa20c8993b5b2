from __future__ import annotations

import click
import pytest

from judge.common.units import SIZE, TIME, Quantity, size_text, time_text

GOOD = [
    (TIME, "1s", 10**9),
    (TIME, "1", 10**9),
    (TIME, "1.5 s", 1_500_000_000),
    (TIME, "500ms", 500_000_000),
    (TIME, "250US", 250_000),
    (SIZE, "256MiB", 256 * 2**20),
    (SIZE, "256MB", 256 * 2**20),
    (SIZE, "256m", 256 * 2**20),
    (SIZE, "0.5GiB", 2**29),
    (SIZE, "262144KiB", 2**28),
    (SIZE, "4096B", 4096),
]
BAD = [
    *(
        (TIME, text)
        for text in ("-1s", "0", "0ms", "0.1ns", "1e9s", "nan", "inf", "", "s", "1 hour", "1s1s", "25000000s")
    ),
    *((SIZE, text) for text in ("-256MiB", "256", "0MiB", "MiB", "1TiBx", "1e3MiB", "2048GiB", "９MiB")),
]


@pytest.mark.parametrize(("quantity", "text", "value"), GOOD)
def test_reads_quantities(quantity: Quantity, text: str, value: int) -> None:
    assert quantity.convert(text, None, None) == value


@pytest.mark.parametrize(("quantity", "text"), BAD)
def test_refuses_what_is_no_positive_quantity(quantity: Quantity, text: str) -> None:
    with pytest.raises(click.BadParameter, match="write e"):
        quantity.convert(text, None, None)


def test_says_the_range() -> None:
    with pytest.raises(click.BadParameter, match=r"'0' is out of range \(more than 0, at most 24 hours\)"):
        TIME.convert("0", None, None)


@pytest.mark.parametrize(
    ("ns", "text"),
    [(None, "-"), (0, "0.0 ms"), (1_240_000, "1.2 ms"), (999_900_000, "999.9 ms"), (1_500_000_000, "1.50 s")],
)
def test_writes_times(ns: int | None, text: str) -> None:
    assert time_text(ns) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(None, "-"), (0, "0 B"), (1023, "1023 B"), (3_400_000, "3.2 MiB"), (2**30, "1.0 GiB"), (5 * 2**40, "5120.0 GiB")],
)
def test_writes_sizes(size: int | None, text: str) -> None:
    assert size_text(size) == text
