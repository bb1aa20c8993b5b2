"""Decodes a test that calls a function. Data sets, rewards and the service all read such tests here.

    input           output
    "[1, 2]\\n3"     "6"        text: an argument a line, each JSON, and the value as JSON    LiveCodeBench, verl
    [[1, 2], 3]     6          the arguments and the value themselves                        APPS, TACO, PrimeIntellect

verl prints a text that a function returns without quotes: with text as input, an output that cannot be meant as JSON is
that text. An output that looks like JSON, or like a value of Python, and is no JSON is refused; and so is NaN, which no
program can return, for it equals nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from judge.checkers.values import Number, holds_nan, write_value

#: Begins as JSON does, or is a name that Python has in place of one of JSON's.
_LIKE_JSON = re.compile(
    r"""\s*(?:[\[{("']|[+-]?\d|[+-]?\.\d|[bru]['"]|(?:frozen)?set\(|(?:deque|Counter|defaultdict|OrderedDict)\("""
    r"""|(?:True|False|None|NaN|nan|[+-]?inf|[+-]?Infinity|true|false|null)\s*\Z)"""
)


class NotACall(ValueError):
    """The test is no call. The message says why, in words that are alike for all such tests."""


@dataclass(frozen=True, slots=True)
class Call:
    arguments: tuple[Any, ...]
    #: What the function must return.
    value: Any
    #: The test was text, and not the values themselves.
    was_text: bool

    def input(self) -> str:
        """As `problems.model.Function` has it: an argument a line. Raises NotACall if JSON cannot hold them."""
        return _lines(self.arguments)

    def answer(self, *also: Any) -> str:
        """The value, a line of JSON, and others that are right, too. Raises NotACall if JSON cannot hold them, or no
        program can return them."""
        written = _lines((self.value, *also))
        if holds_nan(written):
            raise NotACall("the output of a call holds NaN, which equals nothing")
        return written


def decode_call(given: Any, wanted: Any) -> Call:
    """The call of a test with this input and output.

    Raises:
        NotACall: the input is text that is not JSON in each line, or an output beside such text is broken JSON.
    """
    if is_text(given):
        return Call(tuple(_argument(line) for line in given.split("\n") if line.strip()), _value(wanted), True)
    return Call(tuple(given) if is_list(given) else (given,), wanted, False)


def is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, Number)


def is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _argument(line: str) -> Any:
    try:
        return _json(line)
    except (ValueError, RecursionError):
        raise NotACall("the input of a call is text, and a line of it is no JSON") from None


def _value(wanted: Any) -> Any:
    if not is_text(wanted):
        return wanted
    try:
        return _json(wanted)
    except (ValueError, RecursionError):
        if _LIKE_JSON.match(wanted):
            raise NotACall("the output of a call is text that looks like JSON and is none") from None
        return wanted


def _json(text: str) -> Any:
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=Number)


def _lines(values: Sequence[Any]) -> str:
    try:
        return "".join(f"{write_value(one)}\n" for one in values)
    except (TypeError, ValueError, RecursionError):
        raise NotACall("tests hold values that JSON cannot hold") from None
