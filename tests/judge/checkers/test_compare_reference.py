"""The comparisons beside a naive reference, on texts made of awkward pieces."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from judge.checkers import stream
from judge.checkers.compare import compare
from problems.model import Comparison, Mode
from tests.judge.checkers.test_compare import ALL, EXACT, NUMBERS, right


def _reference(output: bytes, answer: bytes, comparison: Comparison) -> bool:
    if not comparison.case_sensitive or comparison.mode in {Mode.TOKENS_CI, Mode.YESNO}:
        output, answer = _upper(output), _upper(answer)
    match comparison.mode:
        case Mode.EXACT:
            return output == answer
        case Mode.EXACT_LINES:
            ours, theirs = ([line.rstrip(b"\r") for line in data.split(b"\n")] for data in (output, answer))
            return (ours if ours[-1] else ours[:-1]) == (theirs if theirs[-1] else theirs[:-1])
        case Mode.EXACT_TRIMMED:
            return re.sub(rb"[ \t\n\r\f\v]+\Z", b"", output) == re.sub(rb"[ \t\n\r\f\v]+\Z", b"", answer)
        case Mode.TOKENS_BY_EVERY_LINE:
            ours, theirs = ([_words(line) for line in _reference_lines(data)] for data in (output, answer))
            return ours == theirs
        case Mode.LINES:
            return _reference_lines(output) == _reference_lines(answer)
        case Mode.TOKENS_BY_LINE:
            rows, wanted = (list(filter(None, map(_words, re.split(rb"[\r\n]", data)))) for data in (output, answer))
            if comparison.absolute_tolerance is None:
                return rows == wanted
            return [len(row) for row in rows] == [len(row) for row in wanted] and all(
                _close(got, expected, comparison)
                for pair in zip(rows, wanted, strict=True)
                for got, expected in zip(*pair, strict=True)
            )
        case Mode.FULL_LINES:
            ours, theirs = (re.split(rb"\r\n|\r|\n", data) for data in (output, answer))
            theirs = theirs if theirs[-1] else theirs[:-1]  # of the text after the last line end
            theirs = theirs if theirs and theirs[-1] else theirs[:-1]
            seen = (ours + [b""] * len(theirs))[: len(theirs)]
            return seen == theirs and not any(map(_words, ours[len(theirs) :]))
        case Mode.ALIKE_SPACES:
            return _in_step(output, answer)
        case Mode.STRIPPED_LINES:
            ours, theirs = ([line.rstrip() for line in re.split(rb"[\r\n]", data)] for data in (output, answer))
            return ours == theirs
        case Mode.NUMBERS:
            output, answer = (re.sub(rb"[^0-9.-]", b" ", data) for data in (output, answer))
        case Mode.SORTED_LINES:
            ours, theirs = (sorted(map(_words, filter(None, re.split(rb"[\r\n]", data)))) for data in (output, answer))
            return ours == theirs
        case Mode.UNORDERED_TOKENS:
            return Counter(_words(output)) == Counter(_words(answer))
    if comparison.space_sensitive and _gaps(output) != _gaps(answer):
        return False
    ours, theirs = _words(output), _words(answer)
    numeric = comparison.mode in {Mode.FLOAT, Mode.NUMBERS} or comparison.absolute_tolerance is not None
    return len(ours) == len(theirs) and all(
        _close(got, expected, comparison) if numeric else got == expected
        for got, expected in zip(ours, theirs, strict=True)
    )


def _in_step(output: bytes, answer: bytes) -> bool:
    """As HUSTOJ does: both are read together, byte by byte, and differ where only one of them has white space."""
    ours, theirs = ([bytes((byte,)) for byte in data] for data in (output.rstrip(), answer.rstrip()))
    i = j = 0
    while i < len(ours) and j < len(theirs):
        if not ours[i].isspace() and not theirs[j].isspace():
            if ours[i] != theirs[j]:
                return False
        elif not (ours[i].isspace() and theirs[j].isspace()):
            return False
        elif ours[i] != theirs[j]:
            i += _blanks(ours[i:]) if theirs[j] == b"\n" else 0
            j += _blanks(theirs[j:]) if ours[i] == b"\n" else 0
            i -= not ours[i].isspace()
            j -= not theirs[j].isspace()
        i, j = i + 1, j + 1
    return i == len(ours) and j == len(theirs)


def _blanks(data: list[bytes]) -> int:
    return next((n for n, byte in enumerate(data) if byte == b"\n" or not byte.isspace()), len(data))


def _upper(data: bytes) -> bytes:
    return bytes(byte - 32 if 97 <= byte <= 122 else byte for byte in data)


def _words(data: bytes) -> list[bytes]:
    return re.findall(rb"[^ \t\n\r\f\v]+", data)


def _gaps(data: bytes) -> list[bytes]:
    return re.split(rb"[^ \t\n\r\f\v]+", data)


def _reference_lines(data: bytes) -> list[bytes]:
    lines = [re.sub(rb"[ \t\r\f\v]+$", b"", line) for line in data.split(b"\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _number(token: bytes) -> Fraction | str | None:
    text = token.decode("latin-1").lower()
    if re.fullmatch(r"[+-]?(nan|inf|infinity)", text):
        return "nan" if "nan" in text else text.replace("+", "")[:2].replace("in", "+")
    return Fraction(text) if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", text) else None


def _close(got: bytes, expected: bytes, comparison: Comparison) -> bool:
    theirs, ours = _number(expected), _number(got)
    if theirs is None or got == expected:
        return got == expected
    if not isinstance(theirs, Fraction) or not isinstance(ours, Fraction):
        return ours == theirs != "nan"
    absolute, relative = (
        Fraction(repr(tolerance or 0.0)) for tolerance in (comparison.absolute_tolerance, comparison.relative_tolerance)
    )
    return abs(ours - theirs) <= max(absolute, relative * abs(theirs))


_TOKEN = st.one_of(
    st.sampled_from(
        [b"1", b"1.0", b"01", b"2", b"1.25", b"1.2500001", b"1e2", b"100", b"-0", b"0", b"nan", b"inf",
         b"-inf", b"+Infinity", b"1e400", b"1_0", b"10", b"0x1", b"a", b"A", b"\xff",
         b"\0", b".", b"-", b"e", b".5", b"5.", b"\xef\xbc\x91"]
    ),
    st.floats(min_value=-9, max_value=9).map(lambda value: b"%.3f" % value),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda value: repr(value).encode()),
)  # fmt: skip
_GAP = st.sampled_from([b" ", b"\n", b" ", b"\n", b"  ", b" \n", b"\n\n", b"\r\n", b"\t", b"\v\f", b""])
_TEXT = st.lists(st.one_of(_TOKEN, _GAP, _GAP), max_size=12).map(b"".join)
_COMPARISON = st.sampled_from([*ALL, NUMBERS])


@given(_TEXT, _TEXT, _COMPARISON)
@example(b"1 2\n", b"1 2", EXACT)
def test_agrees_with_the_reference(output: bytes, answer: bytes, comparison: Comparison) -> None:
    assert right(output, answer, comparison) == _reference(output, answer, comparison)


@given(st.lists(st.tuples(_TOKEN, _GAP, _TOKEN, _GAP), max_size=6), st.integers(0, 6), _COMPARISON)
def test_agrees_with_the_reference_on_near_texts(
    parts: list[tuple[bytes, bytes, bytes, bytes]], changed: int, comparison: Comparison
) -> None:
    """Texts that differ in one token or gap, where random ones differ everywhere."""
    answer = b"".join(token + (gap or b" ") for token, gap, _, _ in parts)
    output = b"".join(
        (other if index == changed else token) + (other_gap or b" ") if index >= changed else token + (gap or b" ")
        for index, (token, gap, other, other_gap) in enumerate(parts)
    )
    assert right(output, answer, comparison) == _reference(output, answer, comparison)


@given(_TEXT, _COMPARISON)
def test_reflexive(text: bytes, comparison: Comparison) -> None:
    assert right(text, bytes(bytearray(text)), comparison)


@given(st.lists(st.integers(), min_size=1), st.data(), _COMPARISON)
def test_a_mutation_is_found(numbers: list[int], data: st.DataObject, comparison: Comparison) -> None:
    """One number is moved by more than any tolerance here allows, left out, or written twice."""
    index = data.draw(st.integers(0, len(numbers) - 1))
    spoilt = [
        *numbers[:index],
        *data.draw(st.sampled_from([(), (3 * numbers[index] + 7,), (numbers[index],) * 2])),
        *numbers[index + 1 :],
    ]
    assume(3 * numbers[index] + 7 != numbers[index])
    output, answer = ("".join(f"{number}\n" for number in side).encode() for side in (spoilt, numbers))
    assert not right(output, answer, comparison)


@pytest.mark.parametrize("piece_bytes", [1, 2, 3, 7])
def test_the_size_of_pieces_does_not_matter(piece_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [
        b"",
        b"1",
        b" 1",
        b"1 ",
        b"1\n2",
        b"1  2\n",
        b"1 \n2 \n\n",
        b"\n1\n2",
        b"12 3\n",
        b"1 2 3",
        b"3\n2\n1\n",
        b"  \n \n1 \n 2",
    ]
    cases = [(output, answer, comparison) for output in texts for answer in texts for comparison in ALL]
    expected = [compare(*case) for case in cases]
    monkeypatch.setattr(stream, "_PIECE_BYTES", piece_bytes)
    monkeypatch.setattr(stream, "_BLOCK_BYTES", piece_bytes)
    assert [compare(*case) for case in cases] == expected
