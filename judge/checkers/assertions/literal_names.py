"""What the names in assertions stand for: a literal, until a statement that is not understood may have changed it.

Nothing is run. A statement is understood (`assertions`), or all names that it binds are unknown from there on. So is
each list that it could reach: by its name, by another name for it, or by a list that holds it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from judge.checkers.assertions import plus

#: The most parts that all uses of names together may write.
MOST = 1 << 22
#: What HumanEval's `check` calls the function; what no literal was given to; a function of the tests themselves.
CANDIDATE, UNKNOWN, DEFINED = object(), object(), object()
#: Calls in which no test is lost.
QUIET = frozenset(("check", "print"))
#: Functions that change no argument, and modules of such functions.
PURE = frozenset(
    """
    abs all any approx bool bytes complex dict divmod enumerate float frozenset hasattr int is_same_list is_same_tree
    isclose isinstance issubclass len list list_node max min pow print range repr reversed round set sorted str sum
    tree_node tuple type zip
    """.split()  # noqa: SIM905 - forty strings take a screen
)
_MODULES = frozenset(("copy", "math", "np", "numpy", "pytest", "re"))
#: Calls that give any name another value; calls after which nothing runs, or all runs otherwise.
_REBINDS = frozenset(("eval", "exec", "globals", "locals", "vars"))
_ENDS = frozenset(["_exit", "abort", "exit", "quit", "setattr", "setenv", "setitem", "skip", "skipTest", "xfail"])
#: What stands at a function that is not run as it is written.
_SKIPS = frozenset(["expectedFailure", "freeze_time", "patch", "skip", "skipIf", "skipUnless", "skipif", "xfail"])
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class Nodes:
    """A list or a tree of nodes, by the list that it is made of."""

    kind: str
    values: list[Any]


class Unlike(Exception):
    """It is none of the forms that are understood."""


class Names:
    """Names that stand for a literal, by function."""

    def __init__(self, outer: Names | None = None, hidden: Collection[str] = ()) -> None:
        """`hidden`: names outside of which nobody knows what they stand for here."""
        self._outer, self._hidden = outer, hidden
        self._depth: int = 0 if outer is None else outer._depth + 1
        self._left: list[int] = [MOST] if outer is None else outer._left
        self._own: dict[str, tuple[int, Any]] = {}
        #: Names that may stand for the same list, or for a list in it.
        self._shared: dict[str, set[str]] = {}
        #: Whether any name may have been given another value, also outside.
        self._blind = False

    def hold(self, name: str, parts: int, value: Any, made_of: Iterable[str] = ()) -> None:
        self._own[name] = parts, value
        self._part(name)
        for other in set(made_of) - {name} if _is_mutable(value) else ():
            self._shared.setdefault(name, set()).add(other)
            self._shared.setdefault(other, set()).add(name)

    def join(self, made_of: Iterable[str]) -> str:
        """What stands for all of these names as one, so that each of many is not joined to each other."""
        name = f"{self._depth} {len(self._own)}"
        self.hold(name, 0, [], made_of)
        return name

    def _part(self, name: str) -> set[str]:
        near = self._shared.pop(name, set())
        for other in near:
            self._shared[other].discard(name)
        return near

    def parts(self, name: str) -> int:
        """How many parts its literal has."""
        return self._look_up(name)[0]

    def _look_up(self, name: str) -> tuple[int, Any]:
        if name in self._own:
            return self._own[name]
        return (0, None) if self._outer is None or self._blind else self._outer._look_up(name)

    def forget(self, name: str) -> None:
        """It stands for something else now."""
        self.hold(name, 0, UNKNOWN)

    def forget_all(self) -> None:
        self._own.clear()
        self._shared.clear()
        self._blind = True
        if self._outer is not None:
            self._outer.forget_all()

    def doubt(self, name: str) -> None:
        """Something that we do not understand had it in hands: what can be changed may have been, in all functions."""
        left = [name]
        while left:
            one = left.pop()
            if _is_mutable(self._look_up(one)[1]):
                left += self._part(one)
                if one in self._own:
                    self.forget(one)
            if self._outer is not None:
                self._outer.doubt(one)

    def forget_everywhere(self, name: str) -> None:
        self.forget(name)
        if self._outer is not None:
            self._outer.forget_everywhere(name)

    def defines(self, name: str) -> bool:
        """Whether the tests define a function of this name, whose assertions were read where it stands."""
        return self._look_up(name)[1] is DEFINED

    def find(self, name: str) -> Any:
        """Raises Unlike if it is not known."""
        if name in self._own:
            parts, value = self._own[name]
            self._left[0] -= parts
            if value not in (UNKNOWN, DEFINED) and self._left[0] >= 0:
                return value
        elif self._outer is not None and not self._blind and name not in self._hidden:
            return self._outer.find(name)
        raise Unlike


def _is_mutable(value: Any) -> bool:
    return isinstance(value, (list, dict, set, tuple, Nodes))


def names_in(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """The names in a part of the text, and whether it is given a value there, or taken away. "*": any."""
    for each in ast.walk(node):
        match each:
            case ast.Name(id=name, ctx=context):
                yield name, not isinstance(context, ast.Load)
                if name in _REBINDS:
                    yield "*", True
            case ast.AugAssign(target=ast.Name(id=name)):
                yield name, False
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, True
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name, True
            case ast.MatchMapping(rest=str(name)):
                yield name, True
            case ast.alias(name=name, asname=other):
                yield (other or name).partition(".")[0], True


def touch(node: ast.AST, values: Names, *, reads: bool = True) -> None:
    """It is not understood what this does: names that it gives a value, and what it may change, are not known."""
    for name, stored in names_in(node):
        if name == "*":
            values.forget_all()
        elif stored:
            values.forget(name)
        elif reads:
            values.doubt(name)


def touch_called(node: ast.AST, values: Names, ours: Collection[str]) -> None:
    """An assertion that is left out changes only what it calls, or gives to what it calls. `ours`: the names of the
    function that is tested, which is held not to change its arguments."""
    touch(node, values, reads=False)
    for name in _find_called(node, ours):
        values.doubt(name)


def _find_called(node: ast.AST, ours: Collection[str]) -> Iterator[str]:
    for each in ast.walk(node):
        match each:
            case ast.Call(func=ast.Name(id=name)) if name in PURE or name in ours:
                pass
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))) if name in _MODULES:
                pass
            case ast.Call(func=ast.Attribute(attr=name)) if name in ours:
                pass
            case ast.Call() | ast.Await():
                yield from (name for name, _ in names_in(each))


def find_unsteady(body: Sequence[ast.stmt], ours: Collection[str]) -> set[str]:
    """The names that these statements give several values, or whose lists they may change, in whatever order."""
    bound: Counter[str] = Counter()
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            bound[statement.name] += 1
            outer = (node for node in ast.walk(statement) if isinstance(node, ast.Global | ast.Nonlocal))
            bound.update(name for node in outer for name in node.names for _ in range(2))
        else:
            times = 1 if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Import | ast.ImportFrom) else 2
            bound.update(name for name, stored in names_in(statement) if stored for _ in range(times))
    return {name for name, times in bound.items() if times > 1} | _find_changed(body, ours)


def _find_changed(body: Sequence[ast.stmt], ours: Collection[str]) -> set[str]:
    near: dict[str, set[str]] = {}
    left: list[str] = []
    for statement in _flatten(body):
        match statement:
            case ast.Assert(test=test):
                left += _find_called(test, ours)
            case ast.Assign(targets=targets, value=value) if _is_plain(value) and _are_names(targets):
                first, *others = dict.fromkeys(name for name, _ in names_in(statement))
                for name in others:
                    near.setdefault(first, set()).add(name)
                    near.setdefault(name, set()).add(first)
            case ast.Expr(value=ast.Call(func=ast.Name(id=name))) if name in QUIET:
                pass
            case ast.For() if plus.read_loop(statement) is not None:
                pass
            case ast.Import() | ast.ImportFrom():
                pass
            case _:
                left += (name for name, stored in names_in(statement) if not stored)
    changed: set[str] = set()
    while left:
        name = left.pop()
        if name not in changed:
            changed.add(name)
            left += near.get(name, ())
    return changed


def _flatten(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements, also those of functions in them."""
    left = list(body)
    while left:
        statement = left.pop()
        if isinstance(statement, ast.FunctionDef):
            left += statement.body
        else:
            yield statement


def _is_plain(value: ast.AST) -> bool:
    """Whether it makes a value of literals and names, and changes nothing."""
    kinds = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Name, ast.UnaryOp, ast.BinOp, ast.expr_context)
    return all(
        isinstance(each, (*kinds, ast.operator, ast.unaryop, ast.Attribute))
        or (isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in PURE)
        for each in ast.walk(value)
    )


def _are_names(targets: Sequence[ast.AST]) -> bool:
    kinds = (ast.Name, ast.Tuple, ast.List, ast.expr_context)
    return all(isinstance(each, kinds) for target in targets for each in ast.walk(target))


def may_end(statement: ast.stmt) -> bool:
    """Whether what follows may not run, or not as it is written."""
    left: list[ast.AST] = [] if isinstance(statement, _DEFINITIONS) else [statement]
    while left:
        node = left.pop()
        match node:
            case ast.Return():
                return True
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _ENDS:
                return True
            case ast.Name(id="pytestmark", ctx=ast.Store()) if _mentions(statement, _SKIPS):
                return True
            case ast.Attribute(value=ast.Name(id="sys" | "builtins"), ctx=ast.Store()):
                return True
        left += (each for each in ast.iter_child_nodes(node) if not isinstance(each, _DEFINITIONS))
    return isinstance(statement, ast.Raise)


def is_skipped(function: ast.FunctionDef) -> bool:
    """Whether it is not run, is to fail, or runs in a world of its own."""
    return any(_mentions(one, _SKIPS) for one in function.decorator_list)


def _mentions(node: ast.AST, words: Collection[str]) -> bool:
    return any(getattr(each, "attr", getattr(each, "id", "")) in words for each in ast.walk(node))
