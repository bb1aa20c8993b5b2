"""Operators of mutation for C++."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from problems.strength.shared import ARITHMETIC, LOGICAL, OTHER_END, RELATIONAL, number, swaps
from problems.strength.syntax import Edit, first, inside, replace_node, text

if TYPE_CHECKING:
    from tree_sitter import Node

_LOOPS = frozenset({"for_statement", "while_statement", "do_statement", "for_range_loop"})
_WIDE = re.compile(rb"(?:unsigned\s+|signed\s+)?long(?:\s+long)?(?:\s+int)?|(?:std::)?u?int64_t")
#: Calls that set a container back to its beginning.
_RESETS = re.compile(rb"\.(?:clear|reset|assign|resize)\(|^(?:std::)?(?:memset|fill|fill_n|iota)\(")
#: Calls that change how fast a program is, or nothing that a judge sees.
_HARMLESS = re.compile(rb"sync_with_stdio|\btie\(|\breserve\(|\bfreopen\(|\bfclose\(|\bshrink_to_fit\(|\bfflush\(")
_NARROWER = {b"int": b"short", b"double": b"float", b"int64_t": b"int", b"uint64_t": b"unsigned"}
#: Linear searches in place of the library's.
_SEARCHES = {
    b"lower_bound": b"std::find_if(%b, %b, [&](const auto &a_) { return !(a_ < (%b)); })",
    b"upper_bound": b"std::find_if(%b, %b, [&](const auto &a_) { return (%b) < a_; })",
}
_UPDATE = {b"++": b"--", b"--": b"++"}


def edits(node: Node) -> Iterator[Edit]:
    """The edits that begin at this node of the tree."""
    make = _EDITS.get(node.type)
    if make is not None:
        yield from make(node)


def _binary(node: Node) -> Iterator[Edit]:
    sign = node.child_by_field_name("operator")
    if sign is None or _streams(node):
        return
    yield from swaps("relational", sign, RELATIONAL)
    yield from swaps("logical", sign, LOGICAL)
    yield from swaps("arithmetic", sign, ARITHMETIC)


def _streams(node: Node) -> bool:
    """Whether it reads or writes a stream: `cin >> a` is no shift."""
    while node.type == "binary_expression":
        left = node.child_by_field_name("left")
        if left is None:
            return False
        node = left
    return text(node).rpartition(b"::")[2] in {b"cin", b"cout", b"cerr"}


def _assignment(node: Node) -> Iterator[Edit]:
    sign = node.child_by_field_name("operator")
    if sign is not None:
        yield from swaps("arithmetic", sign, ARITHMETIC)


def _update(node: Node) -> Iterator[Edit]:
    """A counter that goes the other way. Not that of a loop's head: the loop would never end, which any test sees."""
    around = node.parent
    sign = node.child_by_field_name("operator")
    if sign is not None and (around is None or around.type != "for_statement"):
        yield replace_node("arithmetic", sign, _UPDATE[text(sign)])


def _number(node: Node) -> Iterator[Edit]:
    yield from number(node)
    bare = text(node).rstrip(b"lL")
    if len(text(node)) - len(bare) == 2:
        yield replace_node("dropped long long", node, bare)


def _type(node: Node) -> Iterator[Edit]:
    if node.parent is not None and node.parent.type == "cast_expression":
        return
    if text(node) in _NARROWER and not _returned_by_main(node):
        named = node.parent if node.parent is not None and node.parent.type == "qualified_identifier" else node
        yield replace_node("narrower", named, _NARROWER[text(node)])
    elif node.type == "sized_type_specifier" and _WIDE.fullmatch(text(node)):
        narrow = b"unsigned" if text(node).startswith(b"unsigned") else b"int"
        yield replace_node("narrower", node, narrow)


def _returned_by_main(node: Node) -> bool:
    around = node.parent
    if around is None or around.type != "function_definition":
        return False
    named = around.child_by_field_name("declarator")
    return named is not None and text(named).startswith(b"main")


def _cast(node: Node) -> Iterator[Edit]:
    kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    if kind is not None and value is not None and _WIDE.fullmatch(text(kind)):
        yield replace_node("dropped long long", node, text(value))


def _if(node: Node) -> Iterator[Edit]:
    condition = node.child_by_field_name("condition")
    if condition is not None:
        yield replace_node("removed branch", condition, b"(false)")
        yield replace_node("removed branch", condition, b"(true)")
    otherwise = node.child_by_field_name("alternative")
    if otherwise is not None:
        yield replace_node("removed branch", otherwise, b"")


def _choice(node: Node) -> Iterator[Edit]:
    for side in ("consequence", "alternative"):
        kept = node.child_by_field_name(side)
        if kept is not None:
            yield replace_node("removed branch", node, b"(" + text(kept) + b")")


def _statement(node: Node) -> Iterator[Edit]:
    """A statement left out: a reset within a loop, or a step of the computation."""
    child = first(node)
    if child is None:
        return
    match child.type:
        case "assignment_expression":
            right, sign = child.child_by_field_name("right"), child.child_by_field_name("operator")
            plain = sign is not None and text(sign) == b"="
            literal = right is not None and right.type in {"number_literal", "true", "false", "char_literal"}
            reset = plain and literal and inside(node, _LOOPS)
            yield replace_node("removed reset" if reset else "removed statement", node, b";")
        case "call_expression" if _RESETS.search(text(child)):
            yield replace_node("removed reset", node, b";")
        case "call_expression" if _HARMLESS.search(text(child)):
            pass
        case "call_expression" | "update_expression":
            yield replace_node("removed statement", node, b";")


def _call(node: Node) -> Iterator[Edit]:
    """`min` in place of `max`; a linear search or a quadratic sort in place of the library's."""
    named, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if named is None or given is None:
        return
    name = text(named).rpartition(b"::")[2]
    if name in OTHER_END:
        yield replace_node("min and max", named, text(named)[: -len(name)] + OTHER_END[name])
    values = [text(child) for child in given.named_children]
    if name in _SEARCHES and len(values) == 3:
        yield replace_node("slower", node, _SEARCHES[name] % tuple(values))
    elif name == b"sort" and len(values) in (2, 3):
        begin, end, *rule = values
        least = b", ".join((b"at_", end, *rule))
        loop = b"for (auto at_ = %b; at_ != %b; ++at_) std::iter_swap(at_, std::min_element(%b))"
        yield replace_node("slower", node, loop % (begin, end, least))


def _return(node: Node) -> Iterator[Edit]:
    """`return f[x] = find(f[x])` forgets what it found: paths are not compressed, results not remembered."""
    value = first(node)
    if value is not None and value.type == "assignment_expression":
        right = value.child_by_field_name("right")
        if right is not None:
            yield replace_node("slower", value, text(right))


def _leave(node: Node) -> Iterator[Edit]:
    yield replace_node("removed exit", node, b";")
    if node.type == "continue_statement":
        yield replace_node("early exit", node, b"break;")


def _loop(node: Node) -> Iterator[Edit]:
    body = node.child_by_field_name("body")
    if body is None:
        return
    if body.type == "compound_statement":
        yield Edit(operator="early exit", start=body.end_byte - 1, end=body.end_byte - 1, text=b" break; ")
    else:
        yield replace_node("early exit", body, b"{ " + text(body) + b" break; }")
    if node.type != "for_statement":
        return
    inner = body.named_child(0) if body.type == "compound_statement" and body.named_child_count == 1 else body
    within = inner.child_by_field_name("body") if inner is not None and inner.type == "for_statement" else None
    if inner is None or within is None:
        return
    outer_head, inner_head = _head(node, body), _head(inner, within)
    between = text(node)[len(outer_head) : inner.start_byte - node.start_byte]
    rest = text(node)[within.start_byte - node.start_byte :]
    yield replace_node("swapped loops", node, inner_head + between + outer_head + rest)


def _head(loop: Node, body: Node) -> bytes:
    return text(loop)[: body.start_byte - loop.start_byte]


_EDITS: dict[str, Callable[[Node], Iterator[Edit]]] = {
    "binary_expression": _binary,
    "assignment_expression": _assignment,
    "update_expression": _update,
    "number_literal": _number,
    "primitive_type": _type,
    "sized_type_specifier": _type,
    "type_identifier": _type,
    "cast_expression": _cast,
    "if_statement": _if,
    "conditional_expression": _choice,
    "expression_statement": _statement,
    "call_expression": _call,
    "return_statement": _return,
    "break_statement": _leave,
    "continue_statement": _leave,
    "for_statement": _loop,
    "while_statement": _loop,
    "for_range_loop": _loop,
}
