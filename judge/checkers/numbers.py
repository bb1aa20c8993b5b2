"""Compares numbers in output: which tokens are numbers, and when two are close enough.

Doubles decide what is clearly within tolerance, exact decimals the rest. So rounding never decides about a value on the
very edge (0.100001 for 0.1 within 1e-6), a large integer, or an exponent that no double holds.
"""

from __future__ import annotations

import decimal
import math
import re
from decimal import Decimal
from functools import partial

from judge.checkers.resync import Places
from judge.checkers.vectors import surely_close

#: Decimal numbers, and the names of infinity and NaN. Not numbers: hex floats, digit separators (which float() takes),
#: digits of other scripts. Possessive, so that 100 MB of digits and a letter take linear time.
_NUMBER = re.compile(
    rb"[+-]?(?:(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:e[+-]?[0-9]++)?|inf(?:inity)?|nan)", re.IGNORECASE
)

#: Operands are exact, however long; only their difference is rounded, to 50 digits.
_CONTEXT = decimal.Context(prec=50, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[])

#: Bound of the rounding errors of parsing and subtracting doubles, relative to the operands.
_ROUNDING = 1e-15
#: The same with the rounding of comparing. Then: limits beyond which doubles overflow, or lose digits.
_MARGIN = 2 * _ROUNDING
_HUGE, _TINY = 1e300, 1e-290


def parse(token: bytes) -> Decimal | None:
    """The exact value; None: not a number, or one whose exponent no Decimal holds (beyond 10^18)."""
    if _NUMBER.fullmatch(token) is None:
        return None
    try:
        return Decimal(token.decode("ascii"))
    except decimal.InvalidOperation:
        return None


def _doubles(got: list[bytes], expected: list[bytes]) -> tuple[list[float], list[float]] | None:
    """Both lists as doubles; None: some tokens are not numbers."""
    try:
        return list(map(float, got)), list(map(float, expected))
    except ValueError:
        return None


def _integer(token: bytes) -> bool:
    return token.removeprefix(b"-").isdigit()


class Tolerance:
    """Compares runs of tokens of two texts: those that are equal as text match; else
    numbers of the answer within either tolerance. As a number NaN equals nothing, and infinity only itself."""

    def __init__(
        self, absolute: float | None, relative: float | None, *, output: bytes, answer: bytes, integers: bool = True
    ) -> None:
        """`integers`: False: two integers are to be equal as text."""
        self._integers = integers
        self._absolute = absolute or 0.0
        self._relative = relative or 0.0
        # repr: 1e-6 means the decimal, not the double a little below it.
        self._exact_absolute = Decimal(repr(self._absolute))
        self._exact_relative = Decimal(repr(self._relative))
        self._has_nan = b"nan" in answer.lower()
        self._has_separators = b"_" in output or b"_" in answer

    def close_at_once(self, output: bytes, answer: bytes, places: Places) -> bool:
        """Whether all tokens from `places` on are surely within tolerance; False: nobody knows. A large text takes a
        fifth of the time that `first_difference` would take."""
        return self._integers and surely_close(output, answer, places, self._absolute, self._relative)

    def first_difference(self, got: list[bytes], expected: list[bytes]) -> int | None:
        """The index of the first pair that differs; None: none does. Both have the same length."""
        if got == expected:
            return None
        if not self._integers:
            for index, (ours, theirs) in enumerate(zip(got, expected, strict=True)):
                if ours != theirs and _integer(ours) and _integer(theirs):
                    found = self._first(got[:index], expected[:index])
                    return index if found is None else found
        return self._first(got, expected)

    def _first(self, got: list[bytes], expected: list[bytes]) -> int | None:
        if not got:
            return None
        doubles = None if self._has_separators else _doubles(got, expected)
        if doubles and self._all_clear(*doubles):
            return None
        settled = map(self._clear, *doubles) if doubles else map(self._same, got, expected)
        for index, same in enumerate(settled):
            if not same and not self._same(got[index], expected[index]):
                return index
        return None

    def _all_clear(self, got: list[float], expected: list[float]) -> bool:
        """Whether all are surely within tolerance. Fast: the loop runs in C.

        `math.isclose` asks for |x - y| <= max(r * max(|x|, |y|), a), and |x| may exceed |y| by the difference itself.
        So r and a are a little smaller than the tolerances. And `isclose` always accepts equal doubles. So a tolerance
        must cover what rounding may hide: the absolute one, or the relative one if no number is denormal.
        """
        if self._has_nan:  # the largest of them would be any
            return False
        largest = max(map(abs, expected))
        absolute = self._absolute * (1 - _MARGIN) - _MARGIN * largest
        relative = min(self._relative, 1.0) * (1 - _MARGIN) - _MARGIN
        if not largest < _HUGE:
            return False
        if absolute < _TINY:
            absolute = 0.0
            if relative <= 0 or min(map(abs, expected)) < _TINY:
                return False
        relative = max(relative, 0.0)
        close = partial(math.isclose, rel_tol=relative / (1 + relative), abs_tol=absolute)
        return all(map(close, got, expected))

    def _clear(self, x: float, y: float) -> bool:
        """Whether x is surely within tolerance of y, despite rounding. False for NaN, infinities and overflows."""
        size = y if y > 0 else -y
        gap = x - y if x > y else y - x
        gap += _ROUNDING * (gap + size)
        return gap < self._absolute or gap < self._relative * size

    def _same(self, got: bytes, expected: bytes) -> bool:
        if got == expected:
            return True
        if b"_" not in got and b"_" not in expected:
            try:
                if self._clear(float(got), float(expected)):
                    return True
            except ValueError:
                pass
        return self._close(got, expected)

    def _close(self, got: bytes, expected: bytes) -> bool:
        """Whether they are within tolerance, computed exactly."""
        theirs = parse(expected)
        if theirs is None:
            return got == expected
        ours = parse(got)
        if ours is None or ours.is_nan() or theirs.is_nan():
            return False
        if ours.is_infinite() or theirs.is_infinite():
            return ours == theirs
        gap = _CONTEXT.subtract(ours, theirs).copy_abs()
        return gap <= self._exact_absolute or gap <= _CONTEXT.multiply(self._exact_relative, theirs.copy_abs())
