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
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from judge.checkers.assertions import NotHeld, plus
from judge.checkers.assertions.literal_names import (
    CANDIDATE,
    DEFINED,
    MOST,
    QUIET,
    UNKNOWN,
    Names,
    Nodes,
    Unlike,
    find_unsteady,
    is_skipped,
    may_end,
    names_in,
    touch,
    touch_called,
)
from judge.checkers.values import holds_nan, write_value
from problems.model import Function
from problems.text.statement import Sample

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


def _multiply(one: complex, other: complex) -> complex:
    """Large factors are left out: products of products would soon be larger than the text."""
    if not max(abs(one), abs(other)) < _MOST_FACTOR:
        raise Unlike
    return one * other


_SIGNS: Mapping[type[ast.operator], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _multiply,
    ast.Div: operator.truediv,
}
_MOST_FACTOR = 1 << 64


#: Whole numbers up to this one are floats, too.
_EXACT_IN_FLOATS = 1 << 53
#: The largest tolerance of some assertions that may hold for those that state none.
_NEXT_TO_EXACT = 1e-6
#: The largest number among values of which none is one.
_NO_NUMBER = -1.0
#: What makes a list or a tree of nodes out of a list, and what compares two of them.
_NODES = {"list_node": "__list_node__", "tree_node": "__tree_node__"}
_SAME = frozenset(("is_same_list", "is_same_tree"))


#: A literal that Python could not make either counts as unlike.
_FAILURES = (Unlike, TypeError, ValueError, ArithmeticError, RecursionError)


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
        NotHeld: no assertion is of a form that can be held, or they state several tolerances.
    """
    texts = [value] if isinstance(value, str) else list(value)
    if not all(isinstance(one, str) for one in texts) or sum(map(len, texts)) > _MOST:
        raise NotHeld("assertions are no text, or too long")
    reader, known = _Reader(name), Names()
    for one in texts:
        try:
            _read(reader, ast.parse(one).body, known)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            reader.left_out += 1
    if not reader.tests:
        raise NotHeld("tests are assertions of which none compares one call with a value")
    absolute, relative = next(iter(reader.tolerances), (None, None))
    if len(reader.tolerances) > 1 or _is_too_wide(absolute or 0, relative or 0, reader.largest):
        raise NotHeld("assertions state several tolerances")
    function = Function(name=reader.name, python_values=True)
    return Assertions(tuple(reader.tests), function, reader.left_out, absolute, relative)


def _is_too_wide(absolute: float, relative: float, largest: float) -> bool:
    """Whether a tolerance that some assertions state would accept wrong numbers of those that state none."""
    if largest == _NO_NUMBER:
        return False
    return max(absolute, relative) > _NEXT_TO_EXACT or absolute + relative * largest >= 1


def _read(reader: _Reader, body: Sequence[ast.stmt], known: Names) -> None:
    """`known`: what parameters and the statements around stand for."""
    values = Names(known)
    ours = (reader.name, "candidate")
    holds_functions = any(isinstance(one, ast.FunctionDef) for one in body)
    unsteady = find_unsteady(body, ours) if holds_functions else ()
    for place, statement in enumerate(body):
        _read_statement(reader, statement, values, unsteady)
        if may_end(statement):
            reader.left_out += sum(map(_count_asserts, body[place + 1 :]))
            return


def _read_statement(reader: _Reader, statement: ast.stmt, values: Names, unsteady: Collection[str]) -> None:
    match statement:
        case ast.Assert(test=ast.Constant(value=True)):
            pass
        case ast.Assert(test=test):
            try:
                _assertion(reader, test, values)
            except _FAILURES:
                reader.left_out += 1
                touch_called(test, values, (reader.name, "candidate"))
        case ast.Assign(targets=targets, value=ast.expr() as value):
            _assign(targets, value, values)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            _assign([target], value, values)
        case ast.FunctionDef():
            _read_function(reader, statement, values, unsteady)
        case ast.For() if (loop := plus.read_loop(statement)) is not None:
            try:
                _read_compared(reader, loop, values)
            except _FAILURES:
                reader.left_out += 1
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Return() | ast.Raise() | ast.Expr(value=ast.Constant()):
            touch(statement, values)
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            for name in names:
                values.forget_everywhere(name)
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))) if name in QUIET or values.defines(name):
            touch(statement, values, reads=name not in QUIET)
        case _:
            reader.left_out += _count_asserts(statement)
            touch(statement, values)


def _read_function(reader: _Reader, function: ast.FunctionDef, values: Names, unsteady: Collection[str]) -> None:
    for part in (function.args, *function.decorator_list):
        touch(part, values)
    if (comparison := plus.read_comparison(function)) is not None:
        values.hold(function.name, 0, comparison)
        return
    values.hold(function.name, 0, DEFINED)
    if is_skipped(function):
        reader.left_out += _count_asserts(function)
    else:
        _read(reader, function.body, _parameters(function, values, unsteady))


def _parameters(function: ast.FunctionDef, values: Names, unsteady: Collection[str]) -> Names:
    """What names stand for within a function, which runs when all around it has: not those that change meanwhile."""
    inner = Names(values, unsteady)
    arguments = function.args
    more = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *more):
        inner.forget(one.arg)
    if function.name == "check" and len(arguments.args) == 1:
        inner.hold(arguments.args[0].arg, 0, CANDIDATE)
    return inner


def _assign(targets: Sequence[ast.expr], value: ast.expr, values: Names) -> None:
    """Assertions that use a name of which no literal is known are left out."""
    used = [name for name, _ in names_in(value)]
    parts = sum(1 for _ in ast.walk(value)) + sum(map(values.parts, used))
    made_of = {*used, *(name for target in targets for name, _ in names_in(target))}
    understood = True
    try:
        if parts > MOST:
            raise Unlike
        found = _value(value, values)
    except _FAILURES:
        parts, found, understood = 0, UNKNOWN, False
    joined = (values.join(made_of),)
    for target in targets:
        match target:
            case ast.Name(id=name):
                values.hold(name, parts, found, joined)
            case ast.Tuple(elts=names) | ast.List(elts=names) if (
                isinstance(found, list | tuple)
                and len(found) == len(names)
                and all(isinstance(one, ast.Name) for one in names)
            ):
                for one, its in zip(names, found, strict=True):
                    values.hold(one.id, parts, its, joined)  # type: ignore[attr-defined]  # as was asked
            case _:
                understood = False
                touch(target, values)
    if not understood:  # whoever holds it now may change it under another name
        touch(value, values)
        for name in made_of:
            values.doubt(name)


def _count_asserts(statement: ast.stmt) -> int:
    return sum(map(_asserts, ast.walk(statement)))


def _asserts(node: ast.AST) -> bool:
    """Whether it may compare something: an assertion, `self.assertEqual(…)`, or a call whose result nobody takes."""
    match node:
        case ast.Assert(test=ast.Constant(value=True)):
            return False
        case ast.Assert() | ast.Expr(value=ast.Call()):
            return True
    return False


def _read_compared(reader: _Reader, loop: plus.Loop, values: Names) -> None:
    """Tests of EvalPlus: the inputs and the results are two lists."""
    comparison = values.find(loop.comparison)
    given, wanted = values.find(loop.inputs), values.find(loop.results)
    if not isinstance(comparison, plus.Comparison) or not (isinstance(given, list) and isinstance(wanted, list)):
        raise Unlike
    absolute = _number(loop.tolerance, values)
    if len(given) != len(wanted) or not all(isinstance(one, list | tuple) for one in given):
        raise Unlike
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
        raise Unlike  # it equals nothing
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
        case Nodes():
            return _largest(value.values)
    return _NO_NUMBER


def _assertion(reader: _Reader, test: ast.expr, values: Names) -> None:
    wanted: Any = True
    taken: list[Any] = []
    close = reader.close
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=call):
            wanted, taken = False, ["bool"]
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() as op], comparators=[bound]):
            call, wanted = _close(reader, left, bound, values, below=isinstance(op, ast.Lt))
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is() as op], comparators=[right]):
            call, other = (left, right) if _calls(left, values) else (right, left)
            if isinstance(op, ast.Is) and not (isinstance(other, ast.Constant) and other.value in (None, True, False)):
                raise Unlike
            if _mutable_names(call, values) & _mutable_names(other, values):
                raise Unlike  # the value is what the call leaves in it
            wanted = _approximate(reader, other, values)
            if isinstance(op, ast.Is) and isinstance(wanted, bool):  # 1 == True, but is not True
                wanted, taken = repr(wanted), ["repr"]
        case ast.Call(func=ast.Name(id=name), args=[left, right], keywords=[]) if name in _SAME:
            call, wanted = left, _value(right, values)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr="isclose"), args=[left, right]):
            call, other = (left, right) if _calls(left, values) else (right, left)
            wanted = _floating(_number(other, values))
            _tolerance(reader, test.keywords, {"abs_tol": 0.0, "rel_tol": 1e-9}, values)
        case call:
            taken = ["bool"]
    made, given, named = _call(reader, call, values)
    _add(reader, [*made, *taken], given, named, wanted, exact=reader.close == close)


def _mutable_names(value: ast.expr, values: Names) -> set[str]:
    """Names in it that stand for a list or the like."""
    found = set[str]()
    for name, one in {node.id: node for node in ast.walk(value) if isinstance(node, ast.Name)}.items():
        with suppress(*_FAILURES):
            if isinstance(_value(one, values), (list, dict, set)):
                found.add(name)
    return found


def _floating(value: Any) -> Any:
    """The value with floats for whole numbers, which are compared exactly. A tolerance is for them, too."""
    match value:
        case bool():
            return value
        case int():
            if abs(value) > _EXACT_IN_FLOATS:
                raise Unlike
            return float(value)
        case list() | tuple():
            return type(value)(map(_floating, value))
        case dict():
            return {key: _floating(one) for key, one in value.items()}
    return value


def _close(reader: _Reader, left: ast.expr, bound: ast.expr, values: Names, *, below: bool) -> tuple[ast.expr, Any]:
    """abs(f(x) - value) <= bound; `below`: <"""
    match left:
        case ast.Call(func=ast.Name(id="abs"), args=[ast.BinOp(left=one, op=ast.Sub(), right=other)], keywords=[]):
            call, value = (one, other) if _calls(one, values) else (other, one)
            most = _number(bound, values)
            _state(reader, math.nextafter(most, -math.inf) if below else most, 0.0)
            return call, _floating(_number(value, values))
    raise Unlike


def _approximate(reader: _Reader, value: ast.expr, values: Names) -> Any:
    match value:
        case ast.Call(func=ast.Attribute(attr="approx") | ast.Name(id="approx"), args=[inner]):
            _tolerance(reader, value.keywords, {"abs": 1e-12, "rel": 1e-6}, values)
            return _floating(_value(inner, values))
    return _value(value, values)


def _tolerance(reader: _Reader, stated: Sequence[ast.keyword], usual: Mapping[str, float], values: Names) -> None:
    found = dict(usual)
    for one in stated:
        if one.arg not in found:
            raise Unlike
        found[one.arg] = _number(one.value, values)
    _state(reader, *found.values())


def _state(reader: _Reader, absolute: float, relative: float) -> None:
    if not (math.isfinite(absolute) and math.isfinite(relative)):
        raise Unlike
    reader.tolerances.add((absolute, relative))
    reader.close += 1


def _number(value: ast.expr, values: Names) -> float:
    found = _numeric(value, values)
    if isinstance(found, complex):
        raise Unlike
    return found


def _numeric(value: ast.expr, values: Names) -> float | complex:
    found = _value(value, values)
    if isinstance(found, bool) or not isinstance(found, (int, float, complex)):
        raise Unlike
    return found


def _calls(value: ast.expr, values: Names) -> bool:
    """Whether it calls the function somewhere, and is no value."""
    try:
        _value(value, values)
    except _FAILURES:
        return not (
            isinstance(value, ast.Call) and getattr(value.func, "attr", getattr(value.func, "id", "")) == "approx"
        )
    return False


def _call(reader: _Reader, value: ast.expr, values: Names) -> tuple[list[Any], list[Any], dict[str, Any]]:
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
                    raise Unlike
                _check_name(reader, name)
                return made, given, named
            case _:
                raise Unlike


def _check_name(reader: _Reader, name: str) -> None:
    """Raises Unlike if it is another function than the row's. `name`: "": HumanEval's candidate."""
    name = name or reader.name
    if reader.name not in ("", name) or (not reader.name and (not name or hasattr(builtins, name) or name in _NODES)):
        raise Unlike
    reader.name = name


def _name(function: ast.expr, values: Names) -> str:
    """The name that is called; "": HumanEval's candidate."""
    match function:
        case ast.Name(id=name):
            with suppress(Unlike):
                return "" if values.find(name) is CANDIDATE else name
            return name
        case ast.Attribute(value=ast.Call(func=ast.Name(id="Solution"), args=[], keywords=[]), attr=name):
            return name
    raise Unlike


def _value(value: ast.expr, values: Names) -> Any:
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
        case ast.Name(id=name) if (found := values.find(name)) is not CANDIDATE:
            return found
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_numeric(inner, values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _SIGNS:
            return _SIGNS[type(op)](_numeric(left, values), _numeric(right, values))
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _NODES:
            found = _value(inner, values)
            if not isinstance(found, list):
                raise Unlike
            return Nodes(_NODES[name], found) if found else None
        case ast.Call(func=ast.Name(id=name), args=inner, keywords=[]) if name in _MAKERS:
            return _MAKERS[name](*(_value(one, values) for one in inner))
    raise Unlike


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
    if isinstance(value, Nodes):
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
