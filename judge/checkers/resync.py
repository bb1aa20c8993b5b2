"""Compares two texts at the speed of memcmp, and skips differences in white space that do not count. Only the text
after the first other difference has to be split into tokens or lines.

If white space differs all the time, splitting is faster: then the comparison ends early.
"""

from __future__ import annotations

import re

from judge.checkers.difference import SPACE, first_difference

_FIRST_BYTES, _MOST_BYTES = 1 << 9, 1 << 20
#: A step over white space costs as much as splitting about so much text. Every `_STEPS` steps we check that they pay.
_WORTH_BYTES = 256
_STEPS = 64

_BLANK = re.compile(rb"\s*+")
#: What is the same for tokens: all white space; and all letters in either case.
_ONE_SPACE = bytes(0x20 if byte in SPACE else byte for byte in range(256))
_ONE_CASE = _ONE_SPACE.lower()

#: Offsets in the output and in the answer. All items before them are the same, and an item begins at each.
Places = tuple[int, int]


def same_tokens(output: bytes, answer: bytes, *, fold: bool = False) -> Places | None:
    """Where to begin to compare tokens; None: all are the same. `fold`: ASCII letters in either case are."""
    i = j = steps = 0
    same = _ONE_CASE if fold else _ONE_SPACE
    while True:
        begun = i
        length = _same(output, i, answer, j, same)
        i, j = i + length, j + length
        if i == len(output) and j == len(answer):
            return None
        after, after_too = _skip(output, i), _skip(answer, j)
        if length and output[i - 1] not in SPACE:  # inside a token: it must end on both sides
            skipped = (after > i or i == len(output)) and (after_too > j or j == len(answer))
        else:
            skipped = after > i or after_too > j
        if not skipped:
            token = max(output.rfind(bytes((byte,)), begun, i) for byte in SPACE) + 1 or begun
            return token, j - (i - token)
        i, j, steps = after, after_too, steps + 1
        if steps % _STEPS == 0 and i < steps * _WORTH_BYTES:
            return i, j


def same_lines(output: bytes, answer: bytes) -> Places | None:
    """As `same_tokens`, for lines without the blanks at their ends and without blank lines at the end of the text."""
    i = j = steps = 0
    stop, stop_too = len(output.rstrip()), len(answer.rstrip())
    while True:
        begun = i
        length = _same(output, i, answer, j)
        if i + length == len(output) and j + length == len(answer):
            return None
        left = min(stop - i, stop_too - j)  # bytes that count
        line = output.rfind(b"\n", begun, i + min(length, left)) + 1 or begun
        i, j = line, j + line - begun
        end, end_too = output.find(b"\n", begun + length) + 1, answer.find(b"\n", j + begun + length - line) + 1
        if length > left or not (0 < end <= stop and 0 < end_too <= stop_too):
            return i, j
        if output[i:end].rstrip() != answer[j:end_too].rstrip():
            return i, j
        i, j, steps = end, end_too, steps + 1
        if steps % _STEPS == 0 and i < steps * _WORTH_BYTES:
            return i, j


def _same(output: bytes, i: int, answer: bytes, j: int, same: bytes | None = None) -> int:
    """How many bytes from `i` and `j` on are the same, or become so when they are translated by `same`."""
    begun, size = i, _FIRST_BYTES
    while True:
        ours, theirs = output[i : i + size], answer[j : j + size]
        if ours != theirs and same is not None:
            ours, theirs = ours.translate(same), theirs.translate(same)
        if ours != theirs:
            return i - begun + first_difference(ours, theirs)
        i, j = i + len(ours), j + len(ours)
        if len(ours) < size:
            return i - begun
        size = min(2 * size, _MOST_BYTES)


def _skip(data: bytes, start: int) -> int:
    """The position after the white space at `start`."""
    match = _BLANK.match(data, start)
    return start if match is None else match.end()
