"""Output and answer side by side, around the first line in which they differ."""

from __future__ import annotations

from dataclasses import dataclass

from judge.common.text import harmless

#: Lines before and after the first difference.
_BEFORE, _AFTER = 3, 12
#: Of a line, around its first difference.
_WIDTH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    text: str
    #: It may be cut if it is this long.
    most: int

    @property
    def cut(self) -> bool:
        return len(self.text.encode("utf-8", "replace")) >= self.most

    @property
    def lines(self) -> list[str]:
        """Without white space at ends, which most comparisons pass over."""
        return [line.rstrip() for line in harmless(self.text).rstrip().split("\n")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    number: int
    #: What is equal, what differs, what is equal again; None: that side has no such line.
    got: tuple[str, str, str] | None
    expected: tuple[str, str, str] | None
    differs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    #: None: they differ nowhere.
    first: int | None
    lines: list[Line]
    got_cut: bool
    expected_cut: bool


def beside(got: Side, expected: Side) -> Sides:
    """Line by line, as a checker reads: nothing is searched for, so that no output takes long."""
    left, right = got.lines, expected.lines
    count = max(len(left), len(right))
    first = next((n for n in range(count) if _at(left, n) != _at(right, n)), None)
    start = max(0, (first or 0) - _BEFORE)
    shown = [_line(n, _at(left, n), _at(right, n)) for n in range(start, min(count, start + _BEFORE + _AFTER))]
    return Sides(first=None if first is None else first + 1, lines=shown, got_cut=got.cut, expected_cut=expected.cut)


def _at(lines: list[str], number: int) -> str | None:
    return lines[number] if number < len(lines) else None


def _line(number: int, got: str | None, expected: str | None) -> Line:
    if got is None or expected is None or got == expected:
        both = [None if side is None else _parts(side, 0, 0, differs=got != expected) for side in (got, expected)]
        return Line(number=number + 1, got=both[0], expected=both[1], differs=got != expected)
    most = min(len(got), len(expected))
    start = next((n for n in range(most) if got[n] != expected[n]), most)
    end = next((n for n in range(most - start) if got[-1 - n] != expected[-1 - n]), most - start)
    return Line(number=number + 1, got=_parts(got, start, end), expected=_parts(expected, start, end), differs=True)


def _parts(text: str, start: int, end: int, *, differs: bool = True) -> tuple[str, str, str]:
    """`text` cut around what differs."""
    if not differs:
        return _short(text), "", ""
    stop = len(text) - end
    before = text[:start]
    if len(before) > _WIDTH // 4:
        before = "…" + before[-_WIDTH // 4 :]
    return before, _short(text[start:stop]), _short(text[stop:])


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else text[:_WIDTH] + "…"
