"""Syntax trees of programs, and edits of the text under them.

tree-sitter keeps each byte of the source and parses what does not compile, too: a contestant's program with extensions
of g++ is no special case. It is an extra (`pip install '.[strength]'`), because nothing else needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from problems.errors import ProblemError

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

#: The package of each grammar, by the family of languages.
_GRAMMARS = {"c++": "tree_sitter_cpp", "python": "tree_sitter_python"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change: the bytes from `start` to `end` become `text`."""

    operator: str
    start: int
    end: int
    text: bytes

    def apply(self, source: bytes) -> bytes:
        return source[: self.start] + self.text + source[self.end :]


def replace_node(operator: str, node: Node, text: bytes) -> Edit:
    return Edit(operator=operator, start=node.start_byte, end=node.end_byte, text=text)


@cache
def _parser(family: str) -> Parser:
    try:
        from tree_sitter import Language, Parser  # noqa: PLC0415 - an extra

        grammar = import_module(_GRAMMARS[family])
    except ImportError as error:
        raise ProblemError(
            f"mutants need {error.name}, which is not installed; run pip install '.[strength]' in judge's checkout"
        ) from error
    return Parser(Language(grammar.language()))


def tree(source: bytes, family: str) -> Node:
    """The root of the program's tree.

    Raises:
        ProblemError: tree-sitter is not installed.
    """
    return _parser(family).parse(source).root_node


def nodes(root: Node) -> Iterator[Node]:
    """All nodes, in the order of the text. Without recursion: a program may be nested as deep as its author likes."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def text(node: Node) -> bytes:
    return node.text or b""


def first(node: Node) -> Node | None:
    """The first named child, if there is one."""
    return node.named_child(0) if node.named_child_count else None


def inside(node: Node, kinds: frozenset[str]) -> bool:
    """Whether a node of one of these kinds lies around it."""
    around = node.parent
    while around is not None:
        if around.type in kinds:
            return True
        around = around.parent
    return False
