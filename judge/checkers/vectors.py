"""Compares plain decimal numbers many at a time, with numpy, which lets other threads run meanwhile.

It only ever says that all numbers are surely within the tolerance. Whatever it does not understand (exponents, names,
words, long numbers), and whatever is near the edge, is left to `numbers`.

Each text is read in pieces. The digits of a number are gathered eight at a time into one word of 64 bits, and become a
number by three multiplications, for all numbers of a piece at once.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from judge.checkers.difference import SPACE
from judge.checkers.resync import Places

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Doubles = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Words = NDArray[np.uint64]

#: Below this, splitting is faster. Importing numpy pays for itself on so many bytes, together.
_LEAST_BYTES, _WORTH_BYTES = 1 << 14, 1 << 22
#: How many bytes each comparison had without it.
_without: list[int] = []
_PIECE_BYTES = 1 << 19
#: More digits before the point are not read; of those after it, eight for each of so many words. The rest is cut off.
_WHOLE = 8
_FEW, _MANY = 1, 2
#: An absolute tolerance for which few words are enough.
_COARSE = 1e-7
#: Bounds of the errors: relative to a number by rounding, and absolute by what is cut off.
_ROUNDING = 1e-14
_CUT = {_FEW: 1.1e-8, _MANY: 1e-15}
_OTHERS = b"0123456789.-" + SPACE
_WORD = 8
#: Joins neighbours: digits to numbers below 100, these to numbers below 10000, and these to one.
_STEPS = ((8, 10, 0x00FF00FF00FF00FF), (16, 100, 0x0000FFFF0000FFFF), (32, 10_000, 0xFFFFFFFF))


def surely_close(output: bytes, answer: bytes, places: Places, absolute: float, relative: float) -> bool:
    """Whether both hold equally many plain numbers from `places` on, and each one of the output is within either
    tolerance of the one of the answer. False: not, or nobody knows."""
    size = min(len(output) - places[0], len(answer) - places[1])
    if size < _LEAST_BYTES or not _has_numpy(size):
        return False
    depth = _FEW if absolute >= _COARSE else _MANY
    ours, theirs = _Numbers(output, places[0], depth), _Numbers(answer, places[1], depth)
    while True:
        count = min(ours.ready(), theirs.ready())
        if count <= 0:
            return ours.ended and theirs.ended
        if not _all_close(ours.take(count), theirs.take(count), absolute, relative, 2 * _CUT[depth]):
            return False


def _has_numpy(size: int) -> bool:
    if "numpy" in sys.modules:
        return True
    if importlib.util.find_spec("numpy") is None:
        return False
    _without.append(size)
    return sum(_without) >= _WORTH_BYTES


def _all_close(got: Doubles, expected: Doubles, absolute: float, relative: float, cut: float) -> bool:
    import numpy as np  # noqa: PLC0415 - slow to import, and most outputs are small

    size = np.abs(expected)
    gap = np.abs(got - expected)
    gap += _ROUNDING * (gap + size) + cut
    return bool(np.all(gap < np.maximum(absolute, relative * (size - cut))))


class _Numbers:
    """The numbers of a text, in order."""

    def __init__(self, text: bytes, start: int, depth: int) -> None:
        """`depth`: so many words of eight digits are read after the point."""
        self._pieces, self._depth = _pieces(text, start), depth
        self._values: Any = ()
        self._taken = 0
        #: There are no more; if it is False and none is ready, something was not understood.
        self.ended = False

    def ready(self) -> int:
        """How many `take` can give; 0: none is left; -1: something is no plain number."""
        while self._taken == len(self._values):
            try:
                piece = next(self._pieces)
            except StopIteration:
                self.ended = True
                return 0
            values = None if piece is None else _parse_numbers(piece, self._depth)
            if values is None:
                return -1
            self._values, self._taken = values, 0
        return len(self._values) - self._taken

    def take(self, count: int) -> Doubles:
        first = self._taken
        self._taken += count
        values: Doubles = self._values[first : self._taken]
        return values


def _pieces(text: bytes, start: int) -> Iterator[bytes | None]:
    """Parts of the text that end between numbers; None: a number is longer than a piece, and nothing follows."""
    while start < len(text):
        stop = start + _PIECE_BYTES
        if stop < len(text):
            stop = max(text.rfind(bytes((byte,)), start, stop) for byte in SPACE) + 1
            if stop <= start:
                yield None
                return
        yield text[start:stop]
        start = stop


def _parse_numbers(text: bytes, depth: int) -> Doubles | None:
    """The numbers of a text; None: there is something else in it."""
    import numpy as np  # noqa: PLC0415

    if text.translate(None, _OTHERS):
        return None
    padded = b" " * _WORD + text + b" " * (_WORD * (_MANY + 1))
    raw = np.frombuffer(padded, np.uint8)
    digital = raw > 0x20  # of these characters: not white space
    edges = np.flatnonzero(digital[1:] != digital[:-1]) + 1
    starts, ends = edges[::2], edges[1::2]
    negative = raw[starts] == ord("-")
    if text.count(b"-") != int(np.count_nonzero(negative)):
        return None
    starts = starts + negative
    points = np.flatnonzero(raw == ord("."))
    if len(points) == len(ends) and bool(np.all((starts <= points) & (points < ends))):
        middles = points  # where the part before the point ends
    else:
        owners = np.searchsorted(ends, points, side="right")
        if len(owners) > 1 and bool(np.any(owners[1:] == owners[:-1])):
            return None
        middles = ends.copy()
        middles[owners] = points
    whole, part = middles - starts, ends - middles - 1
    if bool(np.any(whole > _WHOLE)) or bool(np.any((whole == 0) & (part <= 0))):
        return None
    words = np.ndarray((len(raw) - _WORD + 1,), "<u8", padded, strides=(1,))
    values = _digits(words[middles - _WORD], _WORD - whole, low=True).astype(np.float64)
    for word in range(depth):
        blank = _WORD - np.clip(part - word * _WORD, 0, _WORD)
        at = np.minimum(middles + 1 + word * _WORD, len(words) - 1)  # beyond the text: then nothing of it counts
        values += _digits(words[at], blank, low=False) * 10.0 ** (-_WORD * (word + 1))
    return np.where(negative, -values, values)


def _digits(words: Words, blank: Integers, *, low: bool) -> Words:
    """The numbers of eight digits in these words, of which the first (`low`) or the last `blank` ones count as 0."""
    import numpy as np  # noqa: PLC0415

    shift = (8 * np.minimum(blank, _WORD - 1)).astype(np.uint64)
    words = (words >> shift) << shift if low else (words << shift) >> shift
    words[blank == _WORD] = 0
    words &= np.uint64(0x0F0F0F0F0F0F0F0F)  # what is left are digits
    for bits, factor, mask in _STEPS:
        words = words * np.uint64(factor) + (words >> np.uint64(bits))
        words &= np.uint64(mask)
    return words
