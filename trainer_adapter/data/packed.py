"""Reads what data sets pack as base64 of zlib of a pickle: LiveCodeBench a text of JSON, AllenAI a list of tests.

A pickle can call any function by name. We read its operations and never run it: those that make texts, lists and maps
of texts, and no others. What it would hold is counted, as a pickle may name one long text many times.
"""

from __future__ import annotations

import pickletools
from typing import Any

from trainer_adapter.data.tests_column import DataError
from trainer_adapter.data.tests_text import unzip_text

_TEXTS = frozenset(("BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "UNICODE"))
_FRAMES = frozenset(("PROTO", "FRAME"))
#: The most characters that all texts may have together, each use counted, and the most operations.
_MOST_CHARACTERS, _MOST_STEPS = 1 << 30, 1 << 22
_MARK = object()


def read_text(value: str) -> str:
    """As `read`, where only a text is expected. A pickle of one has at most six operations."""
    found = _Reader(16).read(unzip_text(value))
    if not isinstance(found, str):
        raise ValueError("no text")
    return found


def read(value: str) -> Any:
    """The texts, lists and maps that are packed there.

    Raises:
        DataError, ValueError, zlib.error: it is no such thing, or holds more than anybody's tests.
    """
    return _Reader(_MOST_STEPS).read(unzip_text(value))


class _Reader:
    def __init__(self, most_steps: int) -> None:
        self._most_steps, self._characters = most_steps, 0
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}

    def read(self, data: bytes) -> Any:
        for number, (step, argument, _) in enumerate(pickletools.genops(data)):
            if number == self._most_steps:
                raise ValueError("too many operations")
            if step.name == "STOP":
                (found,) = self._stack
                return found
            try:
                self._take(step.name, argument)
            except (IndexError, KeyError, TypeError, AttributeError):
                raise ValueError("no sound pickle") from None
        raise ValueError("no end")

    def _take(self, name: str, argument: Any) -> None:
        stack = self._stack
        match name:
            case _ if name in _TEXTS:
                self._push(argument)
            case _ if name in _FRAMES:
                pass
            case "MEMOIZE":
                self._memo[len(self._memo)] = stack[-1]
            case "PUT" | "BINPUT" | "LONG_BINPUT":
                self._memo[int(argument)] = stack[-1]
            case "GET" | "BINGET" | "LONG_BINGET":
                self._push(self._memo[int(argument)])
            case "MARK":
                stack.append(_MARK)
            case "EMPTY_LIST" | "EMPTY_DICT":
                stack.append([] if name == "EMPTY_LIST" else {})
            case "APPEND":
                one = stack.pop()
                stack[-1].append(one)
            case "APPENDS":
                found = self._since_mark()
                stack[-1].extend(found)
            case "SETITEM":
                one, key = stack.pop(), stack.pop()
                stack[-1][key] = one
            case "SETITEMS":
                found = self._since_mark()
                stack[-1].update(zip(found[::2], found[1::2], strict=True))
            case _:
                raise ValueError("an operation that tests have no need of")

    def _push(self, value: Any) -> None:
        if not isinstance(value, str):
            raise ValueError("a list that is used twice")
        self._characters += len(value)
        if self._characters > _MOST_CHARACTERS:
            raise DataError("tests: more than anybody's; make the data set again")
        self._stack.append(value)

    def _since_mark(self) -> list[Any]:
        found: list[Any] = []
        while (one := self._stack.pop()) is not _MARK:
            found.append(one)
        return found[::-1]
