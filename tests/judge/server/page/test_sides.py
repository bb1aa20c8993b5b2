"""Output and answer side by side."""

from __future__ import annotations

import time

import pytest

from judge.server.page.sides import Side, Sides, beside


def compared(got: str, expected: str) -> Sides:
    return beside(Side(text=got, most=4096), Side(text=expected, most=4096))


@pytest.mark.parametrize(
    ("got", "expected", "first"),
    [
        ("1\n2\n", "1\n3\n", 2),
        ("1\n2\n", "1\n2", None),
        ("1 \n2\n", "1\n2\n", None),
        ("1\r\n", "1\n", None),
        ("", "1\n", 1),
        ("1\n2\n3\n", "1\n", 2),
    ],
)
def test_the_first_line_that_differs(got: str, expected: str, first: int | None) -> None:
    assert compared(got, expected).first == first


def test_what_differs_in_a_line_is_marked() -> None:
    (line,) = compared("12345", "12x45").lines
    assert (line.got, line.expected) == (("12", "3", "45"), ("12", "x", "45"))
    (line,) = compared("aa", "a").lines
    assert (line.got, line.expected) == (("a", "a", ""), ("a", "", ""))


def test_a_long_line_is_cut_around_its_difference() -> None:
    (line,) = compared("x" * 4000 + "1", "x" * 4000 + "2").lines
    assert line.got is not None
    assert line.got[0].startswith("…x")
    assert len("".join(line.got)) < 100
    assert line.got[1] == "1"


def test_lines_around_the_first_difference_are_shown() -> None:
    text = [str(n) for n in range(1000)]
    found = compared("\n".join(text), "\n".join([*text[:500], "x", *text[501:]]))
    assert found.first == 501
    assert [line.number for line in found.lines] == list(range(498, 513))
    assert [line.number for line in found.lines if line.differs] == [501]


@pytest.mark.parametrize("unit", ["\n", "a\n", " ", "a ", "\u202e", "\x1b[2J\n"])
def test_no_output_takes_long(unit: str) -> None:
    began = time.process_time()
    compared(unit * 4096, (unit * 4096)[::-1] + "x")
    assert time.process_time() - began < 1
