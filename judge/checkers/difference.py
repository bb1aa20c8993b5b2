"""Describes the first difference of output and answer for people: the place, both sides, cut to a readable length.

No byte of the output reaches a terminal unescaped unless it is printable.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, assert_never

#: What `bytes.split()` splits at: ASCII white space and nothing else.
SPACE = b" \t\n\r\f\v"

#: Bytes shown before and after the first differing byte of a token or line; then the same for the line around it.
_BEFORE, _AFTER = 24, 40
_LINE_BEFORE, _LINE_AFTER = 60, 100

_SHAPE = bytes(0x20 if byte in SPACE else 0x78 for byte in range(256))  # white space -> " ", the rest -> "x"


Unit = Literal["token", "line"]


class SpanKind(StrEnum):
    DIFFERENT = "different"
    EXTRA = "extra"  # the output has more than the answer
    ENDS = "ends"  # the output ends before the answer
    MISSING = "missing"  # in any order, the output lacks it


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A token or a line: data[start:end]."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first difference. Texts are escaped and cut; `str()` is one line for a TestResult's detail."""

    kind: SpanKind
    unit: Unit
    #: Line of the output, from 1; if the output lacks something: its last line.
    line: int
    #: Token in that line, from 1; None: the output has no such token.
    token: int | None
    #: None: the answer has nothing here.
    expected: str | None
    #: None: the output has nothing here.
    got: str | None
    #: The lines around both; empty if there is none.
    expected_line: str = ""
    got_line: str = ""
    #: Numbers of tokens or lines in the whole output and the whole answer, if the output ends early.
    got_count: int | None = None
    expected_count: int | None = None

    def __str__(self) -> str:
        place = f"line {self.line}" if self.token is None else f"line {self.line}, token {self.token}"
        match self.kind:
            case SpanKind.DIFFERENT:
                return f'{place}: expected "{self.expected}", got "{self.got}"'
            case SpanKind.EXTRA:
                return f'{place}: extra {self.unit} "{self.got}"'
            case SpanKind.ENDS if self.got_count == self.expected_count:
                return f'output ends where "{self.expected}" is expected'
            case SpanKind.ENDS:
                return f"output ends after {self.got_count} of {self.expected_count} {self.unit}s"
            case SpanKind.MISSING:
                return f'{self.unit} "{self.expected}" of the answer is missing'
            case _:
                assert_never(self.kind)


def describe(
    output: bytes, answer: bytes, got: Span | None, expected: Span | None, *, unit: Unit, ordered: bool
) -> Difference:
    """Describe the difference of `got` (in `output`) and `expected` (in `answer`); None: that side has nothing more."""
    line_start, line = _line(output, len(output.rstrip(SPACE)) if got is None else got.start)
    ends = got is None and ordered
    shown_expected, shown_got = _pair(_cut(answer, expected), _cut(output, got))
    return Difference(
        kind=_kind(got, expected, ordered),
        unit=unit,
        line=line,
        token=count_tokens(output[line_start : got.start]) + 1 if got is not None and unit == "token" else None,
        expected=shown_expected,
        got=shown_got,
        expected_line=_context(answer, expected),
        got_line=_context(output, got),
        got_count=_count(output, unit) if ends else None,
        expected_count=_count(answer, unit) if ends else None,
    )


def count_tokens(data: bytes) -> int:
    """How many tokens there are. Ten times as fast as splitting, and with only one copy of the data."""
    shape = data.translate(_SHAPE)
    return shape.count(b" x") + shape.startswith(b"x")


def show(data: bytes) -> str:
    """As text that is safe to print between double quotes."""
    text = data.decode("utf-8", "surrogateescape")
    return "".join(_show(character) for character in text)


def _show(character: str) -> str:
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    if character in '\\"':
        return "\\" + character
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def _kind(got: Span | None, expected: Span | None, ordered: bool) -> SpanKind:
    if expected is None:
        return SpanKind.EXTRA
    if got is None:
        return SpanKind.ENDS if ordered else SpanKind.MISSING
    return SpanKind.DIFFERENT


def _count(data: bytes, unit: Unit) -> int:
    if unit == "token":
        return count_tokens(data)
    text = data.rstrip(SPACE)
    return text.count(b"\n") + 1 if text else 0


def _line(data: bytes, position: int) -> tuple[int, int]:
    """Start and number of the line that holds `position`."""
    return data.rfind(b"\n", 0, position) + 1, data.count(b"\n", 0, position) + 1


def _cut(data: bytes, span: Span | None) -> bytes | None:
    return None if span is None else data[span.start : span.end]


def _pair(expected: bytes | None, got: bytes | None) -> tuple[str | None, str | None]:
    """Both sides around the first byte in which they differ, so that the cut never hides it."""
    at = 0 if expected is None or got is None else first_difference(expected, got)
    return (
        None if expected is None else _window(expected, at, _BEFORE, _AFTER),
        None if got is None else _window(got, at, _BEFORE, _AFTER),
    )


def _context(data: bytes, span: Span | None) -> str:
    if span is None:
        return ""
    start, _ = _line(data, span.start)
    end = data.find(b"\n", span.start)
    line = data[start : end if end >= 0 else len(data)]
    return _window(line, span.start - start, _LINE_BEFORE, _LINE_AFTER)


def _window(data: bytes, at: int, before: int, after: int) -> str:
    start, end = max(0, at - before), min(len(data), at + after)
    while start > 0 and at - start < before + 3 and data[start] & 0xC0 == 0x80:  # do not cut a UTF-8 sequence
        start -= 1
    while end < len(data) and end - at < after + 3 and data[end] & 0xC0 == 0x80:
        end += 1
    return ("…" if start > 0 else "") + show(data[start:end]) + ("…" if end < len(data) else "")


def first_difference(left: bytes, right: bytes) -> int:
    """The first position at which they differ; the shorter length if one is the beginning of the other."""
    block = 1 << 16
    shorter = min(len(left), len(right))
    start = 0
    while start < shorter and left[start : start + block] == right[start : start + block]:
        start += block
    end = min(start + block, shorter)
    if start >= end or left[start:end] == right[start:end]:
        return shorter
    while end - start > 1:  # they differ between start and end
        middle = (start + end) // 2
        if left[start:middle] == right[start:middle]:
            start = middle
        else:
            end = middle
    return start
