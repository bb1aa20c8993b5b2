"""Operators of mutation that C++ and Python share: tokens that swap, and numbers that are off by one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from problems.strength.syntax import Edit, replace_node, text

if TYPE_CHECKING:
    from tree_sitter import Node

#: For each comparison: the neighbour that differs only where both sides are equal, and the opposite.
RELATIONAL: Mapping[bytes, tuple[bytes, ...]] = {
    b"<": (b"<=", b">="),
    b"<=": (b"<", b">"),
    b">": (b">=", b"<="),
    b">=": (b">", b"<"),
    b"==": (b"!=",),
    b"!=": (b"==",),
}
ARITHMETIC: Mapping[bytes, tuple[bytes, ...]] = {
    b"+": (b"-",),
    b"-": (b"+",),
    b"*": (b"+",),
    b"/": (b"*",),
    b"//": (b"*",),
    b"%": (b"/",),
    b"+=": (b"-=",),
    b"-=": (b"+=",),
    b"*=": (b"+=",),
    b"<<": (b">>",),
    b">>": (b"<<",),
    b"&": (b"|",),
    b"|": (b"&",),
    b"^": (b"|",),
}
LOGICAL: Mapping[bytes, tuple[bytes, ...]] = {
    b"&&": (b"||",),
    b"||": (b"&&",),
    b"and": (b"or",),
    b"or": (b"and",),
}
#: From here on a number is a modulus or a bound, where a step of one is no mistake that people make.
LARGE = 1_000_000
#: Moduli of contests: each becomes the next one.
MODULI = {b"1000000007": b"998244353", b"998244353": b"1000000007", b"1000000009": b"1000000007"}

#: From here on a number may size an array; from there on it may stand for infinity.
SIZE, INFINITY = 1000, 100_000_000
OTHER_END = {b"min": b"max", b"max": b"min"}

_DECIMAL = re.compile(rb"(0|[1-9][0-9]{0,17})([uUlL]*)")


def swaps(operator: str, node: Node, table: Mapping[bytes, tuple[bytes, ...]]) -> Iterator[Edit]:
    """The edits of a token by a table."""
    for other in table.get(text(node), ()):
        yield replace_node(operator, node, other)


def number(node: Node) -> Iterator[Edit]:
    """A decimal number that is off by one, or another modulus where it is one."""
    match = _DECIMAL.fullmatch(text(node))
    if match is None:
        return
    digits, suffix = match[1], match[2]
    if digits in MODULI:
        yield replace_node("modulus", node, MODULI[digits] + suffix)
    elif (value := int(digits)) < LARGE:
        yield replace_node("off-by-one", node, b"%d" % (value + 1) + suffix)
        if value:
            yield replace_node("off-by-one", node, b"%d" % (value - 1) + suffix)
        if value >= SIZE:
            yield replace_node("halved bound", node, b"%d" % (value // 2) + suffix)
    elif value >= INFINITY:
        yield replace_node("small infinity", node, b"1000000" + suffix)
