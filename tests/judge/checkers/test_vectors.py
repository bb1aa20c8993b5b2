"""Comparing numbers many at a time accepts nothing that comparing them one by one refuses."""

from __future__ import annotations

import random
import sys

import numpy as np  # noqa: F401 - it is there from the first comparison on
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judge.checkers import numbers, vectors
from judge.checkers.compare import compare
from problems.model import Comparison, Mode

_NUMBERS = st.one_of(
    st.decimals(-(10**9), 10**9, places=3).map(str),
    st.decimals(-2, 2, places=20).map(lambda value: f"{value:f}"),
    st.integers(-(10**9), 10**9).map(str),
    st.sampled_from(
        [
            *("-", ".", "-.", "1.", ".5", "-.5", "--1", "1-2", "1.2.3", "+1", "1e3", "nan", "inf", "0x1", "1_0", "x"),
            *("-0", "00000001", "123456789", "0.12345678", "0.123456789", "0.12345678901234567", "99999999.99999999"),
        ]
    ),
)
_SPACES = st.sampled_from([" ", "\n", "  ", "\r\n", "\t", "\v"])


@st.composite
def _near(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Texts of numbers that are nearly the same, perhaps joined or split differently."""
    wanted = draw(st.lists(_NUMBERS, min_size=1, max_size=6))
    got = list(wanted)
    for _ in range(draw(st.integers(0, 2))):
        got[draw(st.integers(0, len(got) - 1))] = draw(_NUMBERS)
    if draw(st.booleans()):
        got = [
            one + draw(st.sampled_from(["", "0", "1", "00000000000000000009"])) if "." in one else one for one in got
        ]
    return tuple("".join(one + draw(_SPACES) for one in each).encode() for each in (got, wanted))  # type: ignore[return-value]


@given(
    _near(),
    st.sampled_from([None, 1e-9, 1e-7, 1e-6, 0.5]),
    st.sampled_from([None, 1e-12, 1e-6, 0.5]),
    st.integers(2, 40),
)
@example((b"1.5-2.5", b"1.5 -2.5"), 0.5, None, 40)
@example((b"0.0000000000005", b"0 5"), 0.5, None, 12)
@example((b"1 2", b"1"), 0.5, None, 40)
@example((b"0.000000021", b"0.00000000"), 1e-7, None, 40)
def test_both_ways_say_the_same(
    texts: tuple[bytes, bytes], absolute: float | None, relative: float | None, piece_bytes: int
) -> None:
    comparison = Comparison(mode=Mode.FLOAT, absolute_tolerance=absolute, relative_tolerance=relative)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "_LEAST_BYTES", 0)
        patch.setattr(vectors, "_PIECE_BYTES", piece_bytes)
        together = compare(*texts, comparison)
        patch.setattr(numbers, "surely_close", lambda *_: False)
        assert together == compare(*texts, comparison)


def _texts(count: int, digits: int) -> tuple[bytes, bytes]:
    chosen = random.Random(1)
    values = [chosen.uniform(-1000, 1000) for _ in range(count)]
    return tuple("\n".join(f"{value:.{each}f}" for value in values).encode() for each in (digits, 6))  # type: ignore[return-value]


@pytest.mark.parametrize("digits", [6, 9, 15, 18])
@pytest.mark.parametrize("tolerance", [1e-6, 6e-7])
def test_ordinary_numbers_are_accepted_at_once(digits: int, tolerance: float) -> None:
    assert vectors.surely_close(*_texts(5000, digits), (0, 0), tolerance, 0.0)


@pytest.mark.parametrize("digits", [7, 15])
def test_one_that_is_too_far_away_is_not(digits: int) -> None:
    output, answer = _texts(5000, digits)
    lines = output.split(b"\n")
    for place in (0, 2500, 4999):
        wrong = [*lines[:place], lines[place] + b"1" if b"." not in lines[place] else b"1234.5", *lines[place + 1 :]]
        assert not vectors.surely_close(b"\n".join(wrong), answer, (0, 0), 1e-6, 0.0)
    for cut in (b"\n".join(lines[:-1]), output + b" 1"):
        assert not vectors.surely_close(cut, answer, (0, 0), 1e-6, 0.0)


def test_small_texts_do_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """numpy is slow to import: it is, once it pays."""
    monkeypatch.setattr(vectors, "_without", [])
    monkeypatch.delitem(sys.modules, "numpy")
    assert not vectors._has_numpy(1000)
    assert vectors._has_numpy(vectors._WORTH_BYTES - 1000)


@pytest.mark.parametrize(
    "text",
    [
        b"." * 2_000_000,
        b"-" * 2_000_000,
        b"1" * 2_000_000,
        b"1." * 1_000_000,
        b"\n" * 2_000_000,
        b"0." + b"0" * 2_000_000,
    ],
)
def test_hostile_texts_are_left_to_others(text: bytes) -> None:
    answer = b"1 " * 100_000
    assert not vectors.surely_close(text, answer, (0, 0), 0.5, 0.5)
