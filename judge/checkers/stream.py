"""Splits large outputs into tokens or lines, piece by piece: as fast as `bytes.split`, without a list of all tokens.

64 MiB of short tokens would take a gigabyte of objects on either side; a piece is a quarter of a megabyte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from judge.checkers.difference import SPACE, Span

_PIECE_BYTES = 1 << 18
_BLOCK_BYTES = 1 << 20

Split = Callable[[bytes], list[bytes]]
#: Gives the index of the first pair that differs in two lists of the same length; None: no pair differs.
Differs = Callable[[list[bytes], list[bytes]], int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A way to read a text as items. A piece may end after a match of `cut`; `item` finds the items in a piece."""

    split: Split
    cut: re.Pattern[bytes]
    item: re.Pattern[bytes]


def _lines(piece: bytes) -> list[bytes]:
    lines = piece.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _strip_lines(piece: bytes) -> list[bytes]:
    return [line for line in map(bytes.rstrip, piece.replace(b"\r", b"\n").split(b"\n")) if line]


def _squeeze_lines(piece: bytes) -> list[bytes]:
    return [b" ".join(line.split()) for line in piece.replace(b"\r", b"\n").split(b"\n") if line]


TOKENS = Items(split=bytes.split, cut=re.compile(rb"\s"), item=re.compile(rb"\S++"))
#: Tokens and the white space between them.
RUNS = Items(split=re.compile(rb"\s++|\S++").findall, cut=re.compile(rb"\s(?=\S)"), item=re.compile(rb"\s++|\S++"))
LINES = Items(split=_lines, cut=re.compile(rb"\n"), item=re.compile(rb"([^\n]*+)\n|([^\n]++)"))
#: Lines that are not blank, without blanks at their ends. CR ends a line, too, as for all checkers of DMOJ.
FILLED_LINES = Items(split=_strip_lines, cut=re.compile(rb"[\r\n]"), item=re.compile(rb"\S[^\r\n]*+"))

#: Lines of one byte or more, blank or not, with one space between tokens. CR ends a line, too.
SPACED_LINES = Items(split=_squeeze_lines, cut=re.compile(rb"[\r\n]"), item=re.compile(rb"[^\r\n]++"))


class TokenStream:
    """The items of data[start:stop], read in batches. `fold`: convert ASCII letters to lower case."""

    def __init__(
        self, data: bytes, items: Items, *, start: int = 0, stop: int | None = None, fold: bool = False
    ) -> None:
        self._data = data
        self._stop = len(data) if stop is None else stop
        self._items = items
        self._fold = fold
        self._start = self._next = start  # of the present piece, of the next
        self._piece: list[bytes] = []
        self._taken = 0

    def ready(self) -> int:
        """How many items `take` can give at once; 0: none is left."""
        while self._taken == len(self._piece) and self._next < self._stop:
            self._start = self._next
            match = self._items.cut.search(self._data, self._start + _PIECE_BYTES, self._stop)
            self._next = match.end() if match else self._stop
            piece = self._data[self._start : self._next]
            self._piece = self._items.split(piece.lower() if self._fold else piece)
            self._taken = 0
        return len(self._piece) - self._taken

    def take(self, count: int) -> list[bytes]:
        first = self._taken
        self._taken += count
        return self._piece[first : self._taken]

    def batches(self) -> Iterator[list[bytes]]:
        while count := self.ready():
            yield self.take(count)

    def back(self, count: int) -> Span | None:
        """The item `count` before the next one to be taken; None: the text has ended."""
        index = self._taken - count
        if index == len(self._piece):
            return None
        found = self._items.item.finditer(self._data, self._start, self._next)
        for _ in range(index):
            next(found)
        start, end = (match := next(found)).span(match.lastindex or 0)
        return Span(start=start, end=end)


def first_break(output: TokenStream, answer: TokenStream, differs: Differs) -> tuple[Span | None, Span | None] | None:
    """The first items that differ, with None for a side that has ended; None: all are the same."""
    while count := min(output.ready(), answer.ready()):
        index = differs(output.take(count), answer.take(count))
        if index is not None:
            return output.back(count - index), answer.back(count - index)
    places = output.back(0), answer.back(0)
    return None if places == (None, None) else places


def common_start(output: bytes, answer: bytes, boundary: bytes = SPACE) -> int:
    """An offset up to which both are the same, just after a byte of `boundary`. As fast as memcmp."""
    same = 0
    while same < len(output) and output[same : same + _BLOCK_BYTES] == answer[same : same + _BLOCK_BYTES]:
        same += _BLOCK_BYTES
    same = min(same, len(output), len(answer))
    return max(output.rfind(bytes((byte,)), 0, same) for byte in boundary) + 1
