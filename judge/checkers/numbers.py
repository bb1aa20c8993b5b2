"""Numbers in output: which tokens are numbers, and when two are close enough.

Doubles decide what is clearly within tolerance, exact decimals the rest, so that a value on the very edge
(0.100001 for 0.1 within 1e-6), a large integer or an exponent beyond a double's gets no verdict from rounding.
"""

from __future__ import annotations

import decimal
import re
from decimal import Decimal

#: Decimal numbers, and the names of infinity and NaN. Not numbers: hex floats, digit separators (which float() takes),
#: digits of other scripts. Possessive, so that 100 MB of digits and a letter take linear time.
_NUMBER = re.compile(
    rb"[+-]?(?:(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:e[+-]?[0-9]++)?|inf(?:inity)?|nan)", re.IGNORECASE
)

#: 50 digits more than carry a subtraction of near values; operands are exact, however long they are.
_CONTEXT = decimal.Context(prec=50, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[])

#: Bounds what parsing and subtracting doubles may have rounded away, relative to the operands.
_ROUNDING = 4e-16


def parse(token: bytes) -> Decimal | None:
    """None: not a number, or one whose exponent no Decimal holds (beyond 10^18)."""
    if _NUMBER.fullmatch(token) is None:
        return None
    try:
        return Decimal(token.decode("ascii"))
    except decimal.InvalidOperation:
        return None


class Tolerance:
    """Compares runs of tokens: numbers of the answer within either tolerance, other tokens as bytes."""

    def __init__(self, absolute: float | None, relative: float | None, *, answer: bytes) -> None:
        self._absolute = absolute or 0.0
        self._relative = relative or 0.0
        # repr: 1e-6 means the decimal, not the double a little below it.
        self._exact_absolute = Decimal(repr(self._absolute))
        self._exact_relative = Decimal(repr(self._relative))
        #: NaN equals nothing, not even the same text.
        self.has_nan = b"nan" in answer.lower()

    def first_difference(self, got: list[bytes], expected: list[bytes]) -> int | None:
        """The index of the first pair that differs; None: none does. Both have the same length."""
        if got == expected and not self.has_nan:
            return None
        absolute, relative = self._absolute, self._relative
        for index, (ours, theirs) in enumerate(zip(got, expected, strict=True)):
            if ours == theirs and not self.has_nan:
                continue
            try:
                x, y = float(ours), float(theirs)
            except ValueError:
                pass
            else:
                # Never true of NaN and infinities (`<`), nor of a double that overflowed.
                bound = max(absolute, relative * abs(y))
                if abs(x - y) + _ROUNDING * (abs(x) + abs(y)) < bound and b"_" not in ours and b"_" not in theirs:
                    continue
            if not self._close(ours, theirs):
                return index
        return None

    def _close(self, got: bytes, expected: bytes) -> bool:
        theirs = parse(expected)
        if theirs is None:
            return got == expected
        ours = parse(got)
        if ours is None or ours.is_nan() or theirs.is_nan():
            return False
        if ours.is_infinite() or theirs.is_infinite():
            return ours == theirs
        difference = _CONTEXT.subtract(ours, theirs).copy_abs()
        return difference <= self._exact_absolute or difference <= _CONTEXT.multiply(
            self._exact_relative, theirs.copy_abs()
        )
