"""Operators of mutation for Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from problems.strength.shared import ARITHMETIC, LOGICAL, OTHER_END, RELATIONAL, number, swaps
from problems.strength.syntax import Edit, first, inside, replace_node, text

if TYPE_CHECKING:
    from tree_sitter import Node

_LOOPS = frozenset({"for_statement", "while_statement"})
_CACHES = (b"@cache", b"@lru_cache", b"@functools.cache", b"@functools.lru_cache")
#: What the first place fulfils that a search of the library finds.
_SEARCHES = {b"bisect_left": b"not a_ < (%b)", b"bisect_right": b"(%b) < a_", b"bisect": b"(%b) < a_"}
_LITERALS = frozenset({"integer", "float", "true", "false", "none", "list", "dictionary", "string"})


def edits(node: Node) -> Iterator[Edit]:
    """The edits that begin at this node of the tree."""
    make = _EDITS.get(node.type)
    if make is not None:
        yield from make(node)


def _signs(operator: str, table: dict[bytes, tuple[bytes, ...]]) -> Callable[[Node], Iterator[Edit]]:
    def make(node: Node) -> Iterator[Edit]:
        for child in node.children:
            if not child.is_named:
                yield from swaps(operator, child, table)

    return make


def _binary(node: Node) -> Iterator[Edit]:
    yield from _signs("arithmetic", dict(ARITHMETIC))(node)
    sign = node.child_by_field_name("operator")
    if sign is not None and text(sign) == b"//":
        yield replace_node("true division", sign, b"/")


def _if(node: Node) -> Iterator[Edit]:
    condition = node.child_by_field_name("condition")
    if condition is not None:
        yield replace_node("removed branch", condition, b"False")
        yield replace_node("removed branch", condition, b"True")


def _else(node: Node) -> Iterator[Edit]:
    if node.parent is not None and node.parent.type == "if_statement":
        yield replace_node("removed branch", node, b"")


def _choice(node: Node) -> Iterator[Edit]:
    for kept in (node.named_child(0), node.named_child(2)):
        if kept is not None:
            yield replace_node("removed branch", node, b"(" + text(kept) + b")")


def _statement(node: Node) -> Iterator[Edit]:
    child = first(node)
    if child is None:
        return
    match child.type:
        case "assignment":
            right = child.child_by_field_name("right")
            reset = right is not None and right.type in _LITERALS and inside(node, _LOOPS)
            if reset:
                yield replace_node("removed reset", node, b"pass")
        case "call" if text(child).endswith(b".clear()"):
            yield replace_node("removed reset", node, b"pass")
        case "augmented_assignment" | "call":
            yield replace_node("removed statement", node, b"pass")


def _call(node: Node) -> Iterator[Edit]:
    """`min` in place of `max`; a linear search in place of the library's."""
    named, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if named is None or given is None:
        return
    name = text(named).rpartition(b".")[2]
    if text(named) in OTHER_END:
        yield replace_node("min and max", named, OTHER_END[name])
    values = [text(child) for child in given.named_children]
    if name in _SEARCHES and len(values) == 2:
        list_, value = values
        search = b"next((i_ for i_, a_ in enumerate(%b) if %b), len(%b))"
        yield replace_node("slower", node, search % (list_, _SEARCHES[name] % value, list_))


def _decorator(node: Node) -> Iterator[Edit]:
    """A function that no longer remembers its results."""
    if text(node).startswith(_CACHES):
        yield replace_node("slower", node, b"")


def _leave(node: Node) -> Iterator[Edit]:
    yield replace_node("removed exit", node, b"pass")
    if node.type == "continue_statement":
        yield replace_node("early exit", node, b"break")


def _loop(node: Node) -> Iterator[Edit]:
    body = node.child_by_field_name("body")
    if body is None:
        return
    if body.start_point[0] == node.start_point[0]:
        yield replace_node("early exit", body, text(body) + b"; break")
    else:
        margin = b" " * body.start_point[1]
        yield Edit(operator="early exit", start=body.end_byte, end=body.end_byte, text=b"\n" + margin + b"break")
    inner = body.named_child(0)
    if node.type != "for_statement" or inner is None or inner.type != "for_statement":
        return
    if body.named_child_count == 1 and (within := inner.child_by_field_name("body")) is not None:
        outer_head, inner_head = _head(node), _head(inner)
        between = text(node)[len(outer_head) : inner.start_byte - node.start_byte]
        rest = text(node)[inner.start_byte - node.start_byte + len(inner_head) :]
        if within.start_byte >= inner.start_byte:
            yield replace_node("swapped loops", node, inner_head + between + outer_head + rest)


def _head(loop: Node) -> bytes:
    """`for x in y:`, up to its colon."""
    colon = next(child for child in loop.children if child.type == ":")
    return text(loop)[: colon.end_byte - loop.start_byte]


_EDITS: dict[str, Callable[[Node], Iterator[Edit]]] = {
    "comparison_operator": _signs("relational", dict(RELATIONAL)),
    "boolean_operator": _signs("logical", dict(LOGICAL)),
    "binary_operator": _binary,
    "augmented_assignment": _signs("arithmetic", dict(ARITHMETIC)),
    "integer": number,
    "if_statement": _if,
    "elif_clause": _if,
    "else_clause": _else,
    "conditional_expression": _choice,
    "expression_statement": _statement,
    "call": _call,
    "decorator": _decorator,
    "break_statement": _leave,
    "continue_statement": _leave,
    "for_statement": _loop,
    "while_statement": _loop,
}
