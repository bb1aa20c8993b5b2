"""The fast roads of comparing say what the slow ones say, and take what they are made for."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judge.checkers import compare as comparing
from judge.checkers import resync
from judge.checkers.compare import compare
from judge.checkers.difference import first_difference
from judge.checkers.numbers import Tolerance
from judge.checkers.resync import Places, same_lines, same_tokens
from judge.checkers.stream import common_start
from problems.model import Comparison, Mode

_WORDS = st.lists(st.sampled_from([b"a", b"bb", b"1", b"1.0", b"nan"]), max_size=8)
_GAPS = st.lists(st.sampled_from([b" ", b"\n", b"  ", b" \n", b"\r\n", b"\v", b"\n\n"]), min_size=9, max_size=9)
_MODES = st.sampled_from(
    [
        Comparison(),
        Comparison(case_sensitive=False),
        Comparison(mode=Mode.LINES),
        Comparison(mode=Mode.LINES, presentation_error=True),
        Comparison(mode=Mode.EXACT, presentation_error=True),
        Comparison(mode=Mode.FLOAT, absolute_tolerance=0.5),
        Comparison(mode=Mode.TOKENS_BY_LINE),
        Comparison(mode=Mode.SORTED_LINES),
        Comparison(mode=Mode.UNORDERED_TOKENS),
    ]
)


@st.composite
def _near(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Two texts that differ in little: white space, at most one word, an end."""
    words = draw(_WORDS)
    texts = []
    for gaps in (draw(_GAPS), draw(_GAPS)):
        own = list(words)
        if own and draw(st.booleans()):
            own[draw(st.integers(0, len(own) - 1))] = draw(st.sampled_from([b"a", b"b", b"1.2", b"A", b""]))
        text = b"".join(gap + word for gap, word in zip(gaps, own, strict=False)) + draw(st.sampled_from(gaps))
        texts.append(text[draw(st.integers(0, 2)) :])
    return texts[0], texts[1]


@pytest.mark.parametrize("steps", [1, 64])
@given(_near(), _MODES)
@example((b"a\n\n\n\n", b"a \n\n\n\nb"), Comparison(mode=Mode.LINES))
@example((b"a\n\na  ", b"a\n \n"), Comparison(mode=Mode.LINES))
@example((b"a b", b"a b c"), Comparison())
@example((b"ab", b"a b"), Comparison())
def test_walking_says_what_splitting_says(steps: int, texts: tuple[bytes, bytes], comparison: Comparison) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resync, "_STEPS", steps)
        patch.setattr(resync, "_FIRST_BYTES", 2)
        walked = compare(*texts, comparison)
        patch.setattr(comparing, "same_tokens", lambda *both, fold=False: (common_start(*both),) * 2)
        patch.setattr(comparing, "same_lines", lambda *both: (common_start(*both, b"\n"),) * 2)
        patch.setattr(comparing, "_same_counts", lambda *_: False)
        patch.setattr(Tolerance, "_all_clear", lambda *_: False)
        assert walked == compare(*texts, comparison)


def walk(road: object, output: bytes, answer: bytes) -> Places | None:
    assert callable(road)
    places: Places | None = road(output, answer)
    return places


@pytest.mark.parametrize("road", [same_tokens, same_lines])
def test_white_space_now_and_then_is_walked_over(road: object) -> None:
    line = b"123 " * 500
    answer = (line[:-1] + b"\n") * 400
    places = walk(road, (line + b"\r\n") * 400 + b"\n \n", answer)
    assert places is None if road is same_tokens else places == ((len(line) + 2) * 399, len(line) * 399)
    at = len(line) * 300 + 400
    places = walk(road, (line + b"\n") * 400, answer[:at] + b"9" + answer[at + 1 :])
    assert places is not None
    assert places[1] == (at if road is same_tokens else len(line) * 300)


@pytest.mark.parametrize("road", [same_tokens, same_lines])
def test_the_walk_ends_early_where_it_does_not_pay(road: object) -> None:
    places = walk(road, b"1 \n" * 100_000, b"1\n" * 100_000)
    assert places is not None
    assert places[0] < 1000
    assert places[0] * 2 == places[1] * 3


_DIGITS = st.integers(-(10**18), 10**18)


@given(
    st.lists(st.tuples(_DIGITS, _DIGITS, st.integers(-330, 300)), min_size=1, max_size=4),
    st.sampled_from([0.0, 1e-320, 1e-9, 1e-6, 0.5]),
    st.sampled_from([0.0, 1e-15, 1e-12, 1e-9, 1e-6, 0.5, 3.0]),
    st.booleans(),
)
@example([(1, 2, -330)], 0.0, 1e-9, False)
@example([(10**17, 10**17 + 1, 0)], 1e-6, 0.0, False)
@example([(1000001, 1000000, -6)], 1e-6, 0.0, False)
@example([(1000001, 1000000, 0)], 0.0, 1e-6, False)
def test_what_is_clear_is_exactly_so(
    numbers: list[tuple[int, int, int]], absolute: float, relative: float, near: bool
) -> None:
    """Also at the edge, where doubles overflow, and where they lose their digits."""
    pairs = [(y + x % 1000 if near else x, y, exponent) for x, y, exponent in numbers]
    got = [b"%de%d" % (x, exponent) for x, _, exponent in pairs]
    expected = [b"%de%d" % (y, exponent) for _, y, exponent in pairs]
    tolerance = Tolerance(absolute, relative, output=b" ".join(got), answer=b" ".join(expected))
    if tolerance._all_clear(list(map(float, got)), list(map(float, expected))):
        for x, y, exponent in pairs:
            unit = Fraction(10) ** exponent
            gap, size = abs(x - y) * unit, abs(y) * unit
            assert gap <= Fraction(repr(absolute)) or gap <= Fraction(repr(relative)) * size


def test_ordinary_numbers_are_clear_at_once() -> None:
    tolerance = Tolerance(1e-6, 1e-6, output=b"", answer=b"")
    numbers = [0.0, 1.5, -3e5, 1e8]
    assert tolerance._all_clear([number + 1e-8 for number in numbers], numbers)
    assert Tolerance(None, 1e-6, output=b"", answer=b"")._all_clear([1.5 + 1e-7], [1.5])
    assert not tolerance._all_clear([1.1], [1.0])


@given(st.binary(max_size=300), st.binary(max_size=300), st.integers(0, 300))
def test_first_difference(left: bytes, right: bytes, common: int) -> None:
    for ours, theirs in ((left, right), (left[:common] + right, left), (bytes(70_000) + left, bytes(70_000) + right)):
        at = first_difference(ours, theirs)
        assert ours[:at] == theirs[:at]
        assert at == min(len(ours), len(theirs)) or ours[at] != theirs[at]
