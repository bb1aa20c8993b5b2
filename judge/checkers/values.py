"""Writes the JSON values of an answer in the form in which `judge/languages/call.py` writes what a function returned.

The form has a space around each token and none inside a string, so that the comparison of tokens with a tolerance is
one of values: strings keep their quotes, and are no numbers.
"""

from __future__ import annotations

import json
import math
from typing import Any

from judge.common.errors import CheckerError

#: Bytes that `written_values` takes for a byte of the answer: small lists are objects of 56 bytes.
MEMORY = 64


class Number(str):
    """A number as it is written: answers may have thousands of digits."""

    __slots__ = ()


def written_values(answer: bytes) -> list[bytes]:
    """The values that are right, one a line of `answer`. Takes up to `MEMORY` times its size.

    A float is the double that Python reads: a program cannot return more digits than that has.

    Raises:
        CheckerError: a line is no JSON, or there is none.
    """
    found = []
    for number, line in enumerate(answer.splitlines(), 1):
        if line.strip():
            try:
                written = write_value(json.loads(line, parse_int=Number, parse_float=_double, parse_constant=Number))
            except (ValueError, RecursionError) as error:
                raise CheckerError(
                    f"comparison json: line {number} of the answer is no JSON ({error}); correct the answer"
                ) from None
            if holds_nan(written):
                raise CheckerError(
                    f"comparison json: line {number} of the answer holds NaN, which equals nothing; correct the answer"
                )
            found.append(written.encode())
    if not found:
        raise CheckerError("comparison json: the answer holds no value; write the right one as JSON")
    return found


def _double(text: str) -> Number:
    return Number(write_value(float(text)))


def holds_nan(written: str) -> bool:
    """Whether a value in our form holds NaN, which equals nothing, so that no program can return it."""
    return "NaN" in written and "NaN" in written.split()


def write_value(value: Any) -> str:
    """A value of JSON, with numbers as such or as `Number`. Raises TypeError if JSON cannot hold it."""
    if value is None:
        return "null"
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, bool):
        return str(int(value))  # in Python they are equal
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value).replace(" ", "\\u0020")
    if isinstance(value, dict):
        pairs = sorted((write_value(key), write_value(one)) for key, one in value.items())
        return "{ " + " , ".join(f"{key} : {one}" for key, one in pairs) + " }"
    if isinstance(value, (list, tuple)):
        return "[ " + " , ".join([write_value(one) for one in value]) + " ]"
    raise TypeError(f"JSON holds no {type(value).__name__}")
