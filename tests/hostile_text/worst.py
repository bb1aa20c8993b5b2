"""Texts that a regular expression may take long to refuse, derived from the expression itself.

What makes a backtracking matcher slow is a repeat that may stop at many places, and something behind it that never
fits: at the first place (quadratic for a search), or within another repeat. So: what leads to each repeat, then what it
repeats, over and over; the same with an end that does not fit; what leads to it over and over; and every character
that some part of the expression takes, over and over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product
from random import Random
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
#: Members of the categories, among them those that two classes are often both thought not to have.
_MEMBERS = {
    op.CATEGORY_SPACE: " \n\t\u3000\x1c",
    op.CATEGORY_NOT_SPACE: "x/",
    op.CATEGORY_DIGIT: "0\u0663",
    op.CATEGORY_NOT_DIGIT: "x ",
    op.CATEGORY_WORD: "x0_\u6f22",
    op.CATEGORY_NOT_WORD: " -",
}
_ANY = "x 0-/*\"'<>()[]{}\\\n"
#: Repeats bounded by less are no loop.
_LOOP = 16
#: A line as long as some readers still look at.
LINE = 2000


def texts(pattern: re.Pattern[Any], size: int, most: int) -> Iterator[str]:
    """At most `most`, each of `size` characters; also as lines of `LINE`."""
    source = pattern.pattern
    tree = parser.parse(source.decode("latin-1") if isinstance(source, bytes) else source, pattern.flags)
    narrow = isinstance(source, bytes)
    seeds = list(_seeds(tree, narrow))
    for seed in seeds if len(seeds) <= most else Random(most).sample(seeds, most):
        yield stretched(seed, size)
        line = stretched(seed, LINE).replace("\n", " ") + "\n"
        yield (line * (size // len(line) + 1))[:size]


#: A beginning, what is repeated, and an end.
Seed = tuple[str, str, str]


def stretched(seed: Seed, size: int) -> str:
    before, body, after = seed
    room = max(size - len(before) - len(after), 0)
    return before + (body * (room // len(body) + 1))[:room] + after


def _seeds(tree: Any, narrow: bool) -> Iterator[Seed]:
    characters = sorted({one for one in _characters(tree) if not narrow or ord(one) < 256})
    loops = list(dict.fromkeys(_loops(tree, "")))
    whole = _witness(tree)
    befores = list(dict.fromkeys(["", *(before for before, _ in loops), whole]))
    bodies = list(dict.fromkeys([*(body for _, body in loops), *characters, whole, whole[:-1]]))
    seen: set[Seed] = set()
    for before, body, end in product(befores, filter(None, bodies), ("", "\x00")):
        for seed in ((before, body, end), ("", before + body, end), ("", before + body * 50, end)):
            if seed not in seen and not (narrow and any(ord(one) > 255 for one in "".join(seed))):
                seen.add(seed)
                yield seed
    for pair in product(characters[:12], repeat=2):
        if pair[0] != pair[1]:
            yield "", "".join(pair), ""


def _loops(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    """(what leads to a loop, what it repeats)"""
    for code, value in tree:
        if code in _REPEATS:
            least, most, inner = value
            if most >= _LOOP:
                for body in _witnesses(inner):
                    yield before, body
            yield from _loops(inner, before)
            before += _witness(inner) * max(least, 1 if most >= _LOOP else 0)
        else:
            for inner in _inner(code, value):
                yield from _loops(inner, before)
            before += _witness([(code, value)])


def _inner(code: Any, value: Any) -> Iterator[Any]:
    if code is op.SUBPATTERN:
        yield value[3]
    elif code is op.BRANCH:
        yield from value[1]
    elif code is op.ATOMIC_GROUP:
        yield value
    elif code in (op.ASSERT, op.ASSERT_NOT):
        yield value[1]


def _characters(tree: Any) -> Iterator[str]:
    for code, value in tree:
        if code in _REPEATS:
            yield from _characters(value[2])
        elif code in (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY):
            yield from islice(_members(code, value), 6)
        else:
            for inner in _inner(code, value):
                yield from _characters(inner)


def _members(code: Any, value: Any) -> Iterator[str]:
    """Some characters that it takes."""
    if code is op.LITERAL:
        yield chr(value)
    elif code is op.ANY:
        yield from _ANY
    elif code is op.NOT_LITERAL:
        yield from (one for one in _ANY if ord(one) != value)
    elif value and value[0][0] is op.NEGATE:
        yield from (one for one in _ANY + "\u3000" if not any(_takes(part, one) for part in value[1:]))
    else:
        for part, what in value:
            if part is op.LITERAL:
                yield chr(what)
            elif part is op.RANGE:
                yield chr(what[0])
                yield chr(what[1])
            elif part is op.CATEGORY:
                yield from _MEMBERS[what]


def _takes(part: tuple[Any, Any], one: str) -> bool:
    code, value = part
    if code is op.LITERAL:
        return bool(ord(one) == value)
    if code is op.RANGE:
        return bool(value[0] <= ord(one) <= value[1])
    return one in _MEMBERS[value]


def _witnesses(tree: Any) -> Iterator[str]:
    """Some texts that it matches, as far as one can tell without what stands around."""
    if len(tree) == 1 and tree[0][0] in (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY):
        yield from islice(_members(*tree[0]), 6)
    elif len(tree) == 1 and tree[0][0] in (op.BRANCH, op.SUBPATTERN, op.ATOMIC_GROUP):
        for inner in _inner(*tree[0]):
            yield from islice(_witnesses(inner), 6)
    else:
        yield _witness(tree)


def _witness(tree: Any) -> str:
    parts = []
    for code, value in tree:
        if code in (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY):
            parts.append(next(_members(code, value), ""))
        elif code in _REPEATS:
            parts.append(_witness(value[2]) * max(value[0], 1))
        elif code not in (op.ASSERT, op.ASSERT_NOT):
            parts.append(next((_witness(inner) for inner in _inner(code, value)), ""))
    return "".join(parts)
