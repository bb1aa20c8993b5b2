"""Reads the tests of EvalPlus (HumanEval+, MBPP+): two lists, and a function that compares their values.

    def assertion(out, exp, atol):              equal; or close, where `atol` is not 0 or the value is of floats
        …
    for i, (inp, exp) in enumerate(zip(inputs, results)):
        assertion(f(*inp), exp, 0)

Nothing is run. A function that compares in another way, or whose values a reference computes, is not understood.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

#: As EvalPlus has them: numpy's relative tolerance, and the absolute one of floats where a task states none.
_RELATIVE, _ABSOLUTE = 1e-7, 1e-6
_PARAMETERS = ("out", "exp", "atol")


@dataclass(frozen=True, slots=True)
class Comparison:
    """How `assertion` compares."""

    as_sets: bool

    def right(self, value: Any, absolute: float) -> tuple[tuple[Any, ...], tuple[float, float] | None]:
        """The values that are right, and the tolerances (absolute, relative); None: they are to be equal."""
        if absolute == 0 and _is_of_floats(value):
            absolute = _ABSOLUTE
        if self.as_sets:
            value = set(value)
        if absolute == 0:
            return (value,), None
        if isinstance(value, list | tuple):  # numpy tells them apart no more
            return (list(value), tuple(value)), (absolute, _RELATIVE)
        return (value,), (absolute, _RELATIVE)


@dataclass(frozen=True, slots=True)
class Loop:
    comparison: str
    function: ast.expr
    inputs: str
    results: str
    tolerance: ast.expr


def read_comparison(function: ast.FunctionDef) -> Comparison | None:
    """None: it is no comparison that we know."""
    if tuple(one.arg for one in function.args.args) != _PARAMETERS:
        return None
    sets, equal, close = set[str](), False, False
    for statement in _flat(function.body):
        match statement:
            case ast.Assert(test=test):
                equal, close = equal or _is_equality(test), close or _is_closeness(test)
                if not (_is_equality(test) or _is_closeness(test)):
                    return None
            case ast.Expr(value=value) if _is_closeness(value):  # numpy.testing's own assertion
                close = True
            case ast.Assign(targets=[ast.Name(id="exact_match")], value=value) if _is_equality(value):
                pass
            case ast.Assign(targets=[ast.Name(id="atol")], value=ast.Constant(value=value)) if value == _ABSOLUTE:
                pass
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name(id="set"), args=[ast.Name(id=inner)], keywords=[]),
            ) if name == inner and name in ("out", "exp"):
                sets.add(name)
            case ast.If(test=test) if _is_condition(test):
                pass
            case _:
                return None
    return Comparison(as_sets=bool(sets)) if equal and close and len(sets) != 1 else None


def read_loop(loop: ast.For) -> Loop | None:
    """None: it is no loop over the two lists."""
    match loop:
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(), ast.Tuple(elts=[ast.Name(id=given), ast.Name(id=wanted)])]),
            iter=ast.Call(
                func=ast.Name(id="enumerate"),
                args=[ast.Call(func=ast.Name(id="zip"), args=[ast.Name(id=inputs), ast.Name(id=results)], keywords=[])],
                keywords=[],
            ),
            body=[
                ast.Expr(
                    value=ast.Call(
                        func=ast.Name(id=comparison),
                        args=[
                            ast.Call(func=function, args=[ast.Starred(value=ast.Name(id=one))], keywords=[]),
                            ast.Name(id=other),
                            tolerance,
                        ],
                        keywords=[],
                    )
                )
            ],
            orelse=[],
        ) if (one, other) == (given, wanted):
            return Loop(comparison, function, inputs, results, tolerance)
    return None


def _flat(body: list[ast.stmt]) -> list[ast.stmt]:
    found = []
    for statement in body:
        found.append(statement)
        if isinstance(statement, ast.If):
            found += _flat(statement.body) + _flat(statement.orelse)
    return found


def _is_equality(value: ast.expr) -> bool:
    return ast.unparse(value) in ("exact_match", "out == exp", "exp == out")


def _is_closeness(value: ast.expr) -> bool:
    match value:
        case ast.Call(
            func=ast.Attribute(attr="allclose" | "assert_allclose" as name),
            args=[ast.Name(id="out"), ast.Name(id="exp")],
            keywords=keywords,
        ):
            stated = {one.arg: ast.unparse(one.value) for one in keywords}
            if name == "assert_allclose":
                stated.setdefault("rtol", repr(_RELATIVE))  # its default
            return stated == {"rtol": repr(_RELATIVE), "atol": "atol"}
    return False


def _is_condition(value: ast.expr) -> bool:
    """Whether it asks for what `Comparison.right` asks for."""
    return ast.unparse(value) in (
        "atol == 0 and is_floats(exp)",
        "not exact_match and atol != 0",
        "out != exp and atol != 0",
    )


def _is_of_floats(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(isinstance(one, float) for one in value)
    return isinstance(value, float)
