"""Reads tests that are assertions of Python: MBPP's list, HumanEval's `check`, KodCode's pytest functions.

    assert f(1, y=[2]) == (3, 4)      f(x) is None; assert f(x); assert not f(x)
    assert sorted(f(x)) == [1, 2]     also set, len, …: `_TAKEN`
    assert abs(f(x) - 0.5) < 1e-6     math.isclose(f(x), 0.5); f(x) == pytest.approx(0.5)
    is_same_list(f(list_node([1])), list_node([2]))         LeetCodeDataset; also of trees
    for i, (inp, exp) in enumerate(zip(inputs, results)):   EvalPlus (`plus`)
        assertion(f(*inp), exp, 0)

No assertion is run. Each is taken apart: the call is made where the program runs, which never learns the value, and the
judge compares (`problems.model.Function.python_values`). What is none of these forms is counted and left out: values
that are computed, several calls in one assertion, exceptions, mocks.

A name stands for the literal that it was given, until a statement that is not understood gives it another, or may have
changed it: then assertions that use it are left out, too.
"""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from judge.checkers.values import holds_nan, write_value
from problems.model import Function
from problems.text.statement import Sample
from trainer_adapter.data import plus
from trainer_adapter.data.item import Unusable

#: The most characters of one row's assertions that are read. EvalPlus has rows of a megabyte.
_MOST = 1 << 22
#: What may be made of the result before it is compared, as `judge/languages/call.py` does it.
_TAKEN = frozenset(
    (
        *("abs", "bool", "dict", "float", "frozenset", "int", "len", "list"),
        *("max", "min", "round", "set", "sorted", "str", "sum", "tuple"),
    )
)
_MAKERS: Mapping[str, Any] = {
    "set": set, "frozenset": frozenset, "list": list, "tuple": tuple, "sorted": sorted, "dict": dict, "float": float,
}  # fmt: skip
_SIGNS: Mapping[type[ast.operator], Any] = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Div: operator.truediv}


#: The largest tolerance of some assertions that may hold for those that state none.
_NEXT_TO_EXACT = 1e-6
#: The largest number among values of which none is one.
_NO_NUMBER = -1.0
#: What makes a list or a tree of nodes out of a list, and what compares two of them.
_NODES = {"list_node": "__list_node__", "tree_node": "__tree_node__"}
_SAME = frozenset(("is_same_list", "is_same_tree"))


@dataclass(frozen=True, slots=True)
class _Nodes:
    """A list or a tree of nodes, by the list that it is made of."""

    kind: str
    values: list[Any]


class _Unlike(Exception):
    """It is none of the forms above."""


#: A literal that Python could not make either counts as unlike.
_FAILURES = (_Unlike, TypeError, ValueError, ArithmeticError, RecursionError)


@dataclass(slots=True)
class _Reader:
    """What was found so far."""

    #: The only name that may be called; "": the first that is.
    name: str
    tests: list[Sample] = field(default_factory=list)
    left_out: int = 0
    #: (absolute, relative), as the assertions with a tolerance state it.
    tolerances: set[tuple[float, float]] = field(default_factory=set)
    #: How many assertions stated a tolerance; of the values of the others, the largest number.
    close: int = 0
    largest: float = _NO_NUMBER


@dataclass(frozen=True, slots=True)
class Assertions:
    tests: tuple[Sample, ...]
    function: Function
    left_out: int
    absolute_tolerance: float | None = None
    relative_tolerance: float | None = None


def read_assertions(value: str | Sequence[str], name: str = "") -> Assertions:
    """`value`: a text of Python, or several. `name`: of the function, if the row states it.

    Raises:
        Unusable: no assertion is of a form that can be held, or they state several tolerances.
    """
    texts = [value] if isinstance(value, str) else list(value)
    if not all(isinstance(one, str) for one in texts) or sum(map(len, texts)) > _MOST:
        raise Unusable("assertions are no text, or too long")
    reader, names = _Reader(name), _Names()
    for one in texts:
        try:
            _read(reader, ast.parse(one).body, names)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            reader.left_out += 1
    if not reader.tests:
        raise Unusable("tests are assertions of which none compares one call with a value")
    absolute, relative = next(iter(reader.tolerances), (None, None))
    if len(reader.tolerances) > 1 or _is_too_wide(absolute or 0, relative or 0, reader.largest):
        raise Unusable("assertions state several tolerances")
    function = Function(name=reader.name, python_values=True)
    return Assertions(tuple(reader.tests), function, reader.left_out, absolute, relative)


def _is_too_wide(absolute: float, relative: float, largest: float) -> bool:
    """Whether a tolerance that some assertions state would accept wrong numbers of those that state none."""
    if largest == _NO_NUMBER:
        return False
    return max(absolute, relative) > _NEXT_TO_EXACT or absolute + relative * largest >= 1


#: What HumanEval's `check` calls the function; what no literal was given to; a function of the tests themselves.
_CANDIDATE, _UNKNOWN, _DEFINED = object(), object(), object()


#: Calls in which no test is lost.
_QUIET = frozenset(("check", "print"))


class _Names:
    """Names that stand for a literal, by function. All uses together may write `_MOST` parts of them."""

    def __init__(self, outer: _Names | None = None, hidden: Collection[str] = ()) -> None:
        """`hidden`: names outside of which nobody knows what they stand for here."""
        self._outer, self._hidden = outer, hidden
        self._left: list[int] = [_MOST] if outer is None else outer._left
        self._own: dict[str, tuple[int, Any]] = {}
        #: Names that may stand for the same list, or for a list in it.
        self._shared: dict[str, set[str]] = {}

    def hold(self, name: str, parts: int, value: Any, made_of: Iterable[str] = ()) -> None:
        self._own[name] = parts, value
        for other in self._shared.pop(name, ()):
            self._shared[other].discard(name)
        for other in set(made_of) - {name} if _is_mutable(value) else ():
            self._shared.setdefault(name, set()).add(other)
            self._shared.setdefault(other, set()).add(name)

    def parts(self, name: str) -> int:
        """How many parts its literal has."""
        if name in self._own:
            return self._own[name][0]
        return 0 if self._outer is None else self._outer.parts(name)

    def forget(self, name: str) -> None:
        """It stands for something else now."""
        self.hold(name, 0, _UNKNOWN)

    def doubt(self, name: str) -> None:
        """Something that we do not understand had it in hands: what can be changed may have been, in all functions."""
        left = [name]
        while left:
            one = left.pop()
            if _is_mutable(self._own.get(one, (0, None))[1]):
                left += self._shared.get(one, ())
                self.forget(one)
        if self._outer is not None:
            self._outer.doubt(name)

    def forget_everywhere(self, name: str) -> None:
        self.forget(name)
        if self._outer is not None:
            self._outer.forget_everywhere(name)

    def defines(self, name: str) -> bool:
        """Whether the tests define a function of this name, whose assertions were read where it stands."""
        if name in self._own:
            return self._own[name][1] is _DEFINED
        return self._outer is not None and self._outer.defines(name)

    def find(self, name: str) -> Any:
        """Raises _Unlike if it is not known."""
        if name in self._own:
            parts, value = self._own[name]
            self._left[0] -= parts
            if value not in (_UNKNOWN, _DEFINED) and self._left[0] >= 0:
                return value
        elif self._outer is not None and name not in self._hidden:
            return self._outer.find(name)
        raise _Unlike


def _is_mutable(value: Any) -> bool:
    return isinstance(value, (list, dict, set, tuple, _Nodes))


def _read(reader: _Reader, body: Sequence[ast.stmt], known: _Names) -> None:
    """`known`: what parameters and the statements around stand for."""
    values, unsteady = _Names(known), _find_unsteady(body)
    for place, statement in enumerate(body):
        match statement:
            case ast.Assert(test=test):
                try:
                    _assertion(reader, test, values)
                except _FAILURES:
                    reader.left_out += 1
            case ast.Assign(targets=targets, value=ast.expr() as value):
                _assign(targets, value, values)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                _assign([target], value, values)
            case ast.FunctionDef() if (comparison := plus.read_comparison(statement)) is not None:
                values.hold(statement.name, 0, comparison)
            case ast.FunctionDef(name=name):
                values.hold(name, 0, _DEFINED)
                _read(reader, statement.body, _parameters(statement, values, unsteady))
            case ast.For() if (loop := plus.read_loop(statement)) is not None:
                try:
                    _read_compared(reader, loop, values)
                except _FAILURES:
                    reader.left_out += 1
            case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case ast.Return() | ast.Raise():
                reader.left_out += sum(map(_asserts, (node for rest in body[place + 1 :] for node in ast.walk(rest))))
                return
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                for name in names:
                    values.forget_everywhere(name)
            case ast.Expr(value=ast.Call(func=ast.Name(id=name))) if name in _QUIET or values.defines(name):
                _touch(statement, values, reads=name not in _QUIET)
            case _:
                reader.left_out += sum(map(_asserts, ast.walk(statement)))
                _touch(statement, values)


def _parameters(function: ast.FunctionDef, values: _Names, unsteady: Collection[str]) -> _Names:
    """What names stand for within a function, which runs when all around it has: not those that change meanwhile."""
    inner = _Names(values, unsteady)
    arguments = function.args
    more = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *more):
        inner.forget(one.arg)
    if function.name == "check" and len(arguments.args) == 1:
        inner.hold(arguments.args[0].arg, 0, _CANDIDATE)
    return inner


def _find_unsteady(body: Sequence[ast.stmt]) -> set[str]:
    """The names that these statements give several values, or change."""
    bound: Counter[str] = Counter()
    for statement in body:
        if not isinstance(statement, ast.FunctionDef):
            bound.update(name for name, stored in _names(statement) if stored)
        if isinstance(statement, ast.AugAssign | ast.Delete | ast.Expr):
            bound.update(name for name, _ in _names(statement) for _ in range(2))
        if isinstance(statement, ast.FunctionDef):
            outer = (node for node in ast.walk(statement) if isinstance(node, ast.Global | ast.Nonlocal))
            bound.update(name for node in outer for name in node.names for _ in range(2))
    return {name for name, times in bound.items() if times > 1}


def _names(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """The names in a part of the text, and whether it is given a value there, or taken away."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id, not isinstance(each.ctx, ast.Load)


def _touch(node: ast.AST, values: _Names, *, reads: bool = True) -> None:
    """It is not understood what this does: names that it gives a value, and what it may change, are not known."""
    for name, stored in _names(node):
        if stored:
            values.forget(name)
        elif reads:
            values.doubt(name)


def _assign(targets: Sequence[ast.expr], value: ast.expr, values: _Names) -> None:
    """Assertions that use a name of which no literal is known are left out."""
    used = [name for name, _ in _names(value)]
    parts, made_of = sum(1 for _ in ast.walk(value)) + sum(map(values.parts, used)), set(used)
    try:
        if parts > _MOST:
            raise _Unlike
        found = _value(value, values)
    except _FAILURES:
        parts = 0
        found = _UNKNOWN
        _touch(value, values)
    for target in targets:
        match target:
            case ast.Name(id=name):
                values.hold(name, parts, found, made_of)
            case ast.Tuple(elts=names) | ast.List(elts=names) if (
                isinstance(found, list | tuple)
                and len(found) == len(names)
                and all(isinstance(one, ast.Name) for one in names)
            ):
                for one, its in zip(names, found, strict=True):
                    values.hold(one.id, parts, its, made_of)  # type: ignore[attr-defined]  # as was asked
            case _:
                _touch(target, values)


def _asserts(node: ast.AST) -> bool:
    """Whether it may compare something: an assertion, `self.assertEqual(…)`, or a call whose result nobody takes."""
    match node:
        case ast.Assert() | ast.Expr(value=ast.Call()):
            return True
    return False


def _read_compared(reader: _Reader, loop: plus.Loop, values: _Names) -> None:
    """Tests of EvalPlus: the inputs and the results are two lists."""
    comparison = values.find(loop.comparison)
    given, wanted = values.find(loop.inputs), values.find(loop.results)
    if not isinstance(comparison, plus.Comparison) or not (isinstance(given, list) and isinstance(wanted, list)):
        raise _Unlike
    absolute = _number(loop.tolerance, values)
    if len(given) != len(wanted) or not all(isinstance(one, list | tuple) for one in given):
        raise _Unlike
    _check_name(reader, _name(loop.function, values))
    for one, value in zip(given, wanted, strict=True):
        try:
            right, tolerance = comparison.right(value, absolute)
            _add(reader, ["set"] if comparison.as_sets else [], one, {}, *right, exact=tolerance is None)
        except _FAILURES:
            reader.left_out += 1
        else:
            if tolerance is not None:
                _state(reader, *tolerance)


def _add(
    reader: _Reader, made: Sequence[Any], given: Sequence[Any], named: Mapping[str, Any], *right: Any, exact: bool
) -> None:
    """Keep a test. `made`: what is made of the result; `named`: arguments by name."""
    lines = [_write_typed(one) for one in given]
    if named:
        lines.append({"__keywords__": [[name, _write_typed(value)] for name, value in named.items()]})
    if made:
        lines.append({"__as__": list(made)})
    answers = [f"{write_value(_write_typed(value))}\n" for value in right]
    if any(map(holds_nan, answers)):
        raise _Unlike  # it equals nothing
    reader.tests.append(Sample("".join(f"{write_value(line)}\n" for line in lines), "".join(answers)))
    if exact:
        reader.largest = max(reader.largest, *map(_largest, right))


def _largest(value: Any) -> float:
    match value:
        case int() | float() | complex() if not isinstance(value, bool):
            return abs(value)
        case list() | tuple() | set() | frozenset():
            return max(map(_largest, value), default=_NO_NUMBER)
        case dict():
            return max((max(_largest(key), _largest(one)) for key, one in value.items()), default=_NO_NUMBER)
        case _Nodes():
            return _largest(value.values)
    return _NO_NUMBER


def _assertion(reader: _Reader, test: ast.expr, values: _Names) -> None:
    wanted: Any = True
    taken: list[Any] = []
    close = reader.close
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=call):
            wanted, taken = False, ["bool"]
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE()], comparators=[bound]):
            call, wanted = _close(reader, left, bound, values)
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is() as op], comparators=[right]):
            call, other = (left, right) if _calls(left, values) else (right, left)
            if isinstance(op, ast.Is) and not (isinstance(other, ast.Constant) and other.value in (None, True, False)):
                raise _Unlike
            wanted = _approximate(reader, other, values)
            if isinstance(op, ast.Is) and isinstance(wanted, bool):  # 1 == True, but is not True
                wanted, taken = str(wanted), ["str"]
        case ast.Call(func=ast.Name(id=name), args=[left, right], keywords=[]) if name in _SAME:
            call, wanted = left, _value(right, values)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr="isclose"), args=[left, right]):
            call, other = (left, right) if _calls(left, values) else (right, left)
            wanted = _number(other, values)
            _tolerance(reader, test.keywords, {"abs_tol": 0.0, "rel_tol": 1e-9}, values)
        case call:
            taken = ["bool"]
    made, given, named = _call(reader, call, values)
    _add(reader, [*made, *taken], given, named, wanted, exact=reader.close == close)


def _close(reader: _Reader, left: ast.expr, bound: ast.expr, values: _Names) -> tuple[ast.expr, Any]:
    """abs(f(x) - value) < bound"""
    match left:
        case ast.Call(func=ast.Name(id="abs"), args=[ast.BinOp(left=one, op=ast.Sub(), right=other)], keywords=[]):
            call, value = (one, other) if _calls(one, values) else (other, one)
            _state(reader, _number(bound, values), 0.0)
            return call, _number(value, values)
    raise _Unlike


def _approximate(reader: _Reader, value: ast.expr, values: _Names) -> Any:
    match value:
        case ast.Call(func=ast.Attribute(attr="approx") | ast.Name(id="approx"), args=[inner]):
            _tolerance(reader, value.keywords, {"abs": 1e-12, "rel": 1e-6}, values)
            return _value(inner, values)
    return _value(value, values)


def _tolerance(reader: _Reader, stated: Sequence[ast.keyword], usual: Mapping[str, float], values: _Names) -> None:
    found = dict(usual)
    for one in stated:
        if one.arg not in found:
            raise _Unlike
        found[one.arg] = _number(one.value, values)
    _state(reader, *found.values())


def _state(reader: _Reader, absolute: float, relative: float) -> None:
    if not (math.isfinite(absolute) and math.isfinite(relative)):
        raise _Unlike
    reader.tolerances.add((absolute, relative))
    reader.close += 1


def _number(value: ast.expr, values: _Names) -> float:
    found = _numeric(value, values)
    if isinstance(found, complex):
        raise _Unlike
    return found


def _numeric(value: ast.expr, values: _Names) -> float | complex:
    found = _value(value, values)
    if isinstance(found, bool) or not isinstance(found, (int, float, complex)):
        raise _Unlike
    return found


def _calls(value: ast.expr, values: _Names) -> bool:
    """Whether it calls the function somewhere, and is no value."""
    try:
        _value(value, values)
    except _FAILURES:
        return not (
            isinstance(value, ast.Call) and getattr(value.func, "attr", getattr(value.func, "id", "")) == "approx"
        )
    return False


def _call(reader: _Reader, value: ast.expr, values: _Names) -> tuple[list[Any], list[Any], dict[str, Any]]:
    """What is made of the result, from the inside to the outside, and the arguments of the one call."""
    made: list[Any] = []
    while True:
        match value:
            case ast.Call(func=ast.Name(id="round"), args=[inner, ast.Constant(value=int() as digits)], keywords=[]):
                made.insert(0, ["round", digits])
                value = inner
            case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _TAKEN and name != reader.name:
                made.insert(0, name)
                value = inner
            case ast.Call(func=function, args=arguments, keywords=keywords):
                name = _name(function, values)
                given = [_value(one, values) for one in arguments]
                named = {one.arg: _value(one.value, values) for one in keywords if one.arg is not None}
                if len(named) < len(keywords):  # **kwargs
                    raise _Unlike
                _check_name(reader, name)
                return made, given, named
            case _:
                raise _Unlike


def _check_name(reader: _Reader, name: str) -> None:
    """Raises _Unlike if it is another function than the row's. `name`: "": HumanEval's candidate."""
    name = name or reader.name
    if reader.name not in ("", name) or (not reader.name and (not name or hasattr(builtins, name) or name in _NODES)):
        raise _Unlike
    reader.name = name


def _name(function: ast.expr, values: _Names) -> str:
    """The name that is called; "": HumanEval's candidate."""
    match function:
        case ast.Name(id=name):
            with suppress(_Unlike):
                return "" if values.find(name) is _CANDIDATE else name
            return name
        case ast.Attribute(value=ast.Call(func=ast.Name(id="Solution"), args=[], keywords=[]), attr=name):
            return name
    raise _Unlike


def _value(value: ast.expr, values: _Names) -> Any:
    """The value of a literal. Nothing of the text is run, and none is larger than the text."""
    match value:
        case ast.Constant(value=None | bool() | int() | float() | complex() | str() | bytes() as found):
            return found
        case ast.Attribute(value=ast.Name(id="math" | "np" | "numpy"), attr="inf" | "nan" as found):
            return float(found)
        case ast.List(elts=inner):
            return [_value(one, values) for one in inner]
        case ast.Tuple(elts=inner):
            return tuple(_value(one, values) for one in inner)
        case ast.Set(elts=inner):
            return {_value(one, values) for one in inner}
        case ast.Dict(keys=keys, values=inner) if None not in keys:
            return {_value(key, values): _value(one, values) for key, one in zip(keys, inner, strict=True) if key}
        case ast.Name(id=name) if (found := values.find(name)) is not _CANDIDATE:
            return found
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_numeric(inner, values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _SIGNS:
            return _SIGNS[type(op)](_numeric(left, values), _numeric(right, values))
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _NODES:
            found = _value(inner, values)
            if not isinstance(found, list):
                raise _Unlike
            return _Nodes(_NODES[name], found) if found else None
        case ast.Call(func=ast.Name(id=name), args=inner, keywords=[]) if name in _MAKERS:
            return _MAKERS[name](*(_value(one, values) for one in inner))
    raise _Unlike


def _write_typed(value: Any) -> Any:
    """As JSON, with the types of Python that JSON lacks as maps of one key."""
    if isinstance(value, list):
        return [_write_typed(one) for one in value]
    if isinstance(value, tuple):
        return {"__tuple__": [_write_typed(one) for one in value]}
    if isinstance(value, (set, frozenset)):
        return {"__set__": sorted((_whole(_write_typed(one)) for one in value), key=write_value)}
    if isinstance(value, dict):
        pairs = ([_whole(_write_typed(key)), _write_typed(one)] for key, one in value.items())
        return {"__dict__": sorted(pairs, key=lambda pair: write_value(pair[0]))}
    if isinstance(value, _Nodes):
        last = max(place for place, one in enumerate(value.values) if one is not None or place == 0)
        return {value.kind: [_write_typed(one) for one in value.values[: last + 1]]}
    if isinstance(value, bytes):
        return {"__bytes__": value.decode("latin-1")}
    if isinstance(value, complex):
        return {"__complex__": [value.real, value.imag]} if value.imag else value.real
    return value


def _whole(value: Any) -> Any:
    """A key or an item of a set, with integers for floats that equal them: their texts decide the order."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(one) for one in value]
    if isinstance(value, dict):
        return {kind: _whole(one) for kind, one in value.items()}
    return value
