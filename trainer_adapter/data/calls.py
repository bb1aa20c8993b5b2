"""Reads tests that call a function of the program: its arguments and the value that it must return.

    {"fn_name": "add", "inputs": [[1, 2]], "outputs": [3]}           APPS, TACO, Eurus, DeepCoder
    [{"input": "1\\n2", "output": "3", "testtype": "functional"}]     LiveCodeBench; the name stands elsewhere
    [{"fn_name": "add", "input": [1, 2], "output": [3], "type": "function_call"}]     PrimeIntellect, open-r1

Out come tests as `problems.model.Function` has them: an argument a line of the input, a right value a line of the
answer, all JSON. Some data sets put each value into a list of its own: where all values could be such lists, both are
right, as for the programs that come with those data sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judge.checkers.values import Number, written
from problems.model import Function
from problems.text.statement import Sample
from trainer_adapter.data.assertions import Assertions, read_assertions
from trainer_adapter.data.item import Unusable, cases, loads
from trainer_adapter.data.tests_column import Case, Inline

_NAMES = ("fn_name", "func_name")


@dataclass(frozen=True, slots=True)
class Tests:
    cases: tuple[Sample, ...]
    #: None: they give a program input to read.
    function: Function | None = None
    #: What else assertions say, if the tests were some.
    held: Assertions | None = None


def read_tests(value: Any, *, name: str = "") -> Tests:
    """Tests of either kind, in any form. `name`: of the function, where the row states it apart from its tests.

    Raises:
        Unusable: they are of no known form.
    """
    found = loads(value)
    if isinstance(found, Mapping) and found.get("assert_case"):
        held = read_assertions(found["assert_case"], name or _name(found))
        return Tests(held.tests, held.function, held)
    if isinstance(found, Mapping) and (own := _name(found)):
        given, wanted = found.get("inputs") or (), found.get("outputs") or ()
        if not (_is_list(given) and _is_list(wanted) and len(given) == len(wanted)):
            raise Unusable("tests have not as many inputs as outputs")
        return Tests(_called(given, wanted), Function(name=own, integer_keys=True))
    if _is_list(found) and any(map(_calls, found)):
        if not all(map(_calls, found)):
            raise Unusable("some tests call a function, others give input to read")
        names = {name or _name(one) for one in found}
        if len(names) > 1 or not min(names):
            raise Unusable("tests call a function without a name" if not min(names) else "tests call several functions")
        given, wanted = [one.get("input") for one in found], [_value(one.get("output")) for one in found]
        return Tests(_called(given, wanted), Function(name=min(names)))
    return Tests(cases(found))


def inline(value: Any) -> Inline:
    """Tests of either kind, in any form, as the `tests` column has them.

    Raises:
        Unusable: they are of no known form, or none.
    """
    tests = read_tests(value)
    if not tests.cases:
        raise Unusable("the row holds no tests")
    found = tuple(Case(input=each.input, output=each.output) for each in tests.cases)
    if tests.function is None:
        return Inline(tests=found)
    return Inline(tests=found, function=tests.function.name, integer_keys=tests.function.integer_keys)


def joined(*parts: Tests) -> Tests:
    """All tests of the parts. Raises Unusable if they are not of one kind."""
    functions = {part.function for part in parts if part.cases}
    if len(functions) > 1:
        raise Unusable("some tests call a function, others give input to read")
    return Tests(tuple(one for part in parts for one in part.cases), next(iter(functions), None))


def _name(value: Mapping[str, Any]) -> str:
    about = value.get("metadata")
    places = (value, about) if isinstance(about, Mapping) else (value,)
    found = next((place[key] for place in places for key in _NAMES if place.get(key)), "")
    if not isinstance(found, str) or (found and not found.isidentifier()):
        raise Unusable("the function has no name that a program can define")
    return found


def _calls(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    kind = str(value.get("type") or value.get("testtype") or "").lower()
    return bool(_name(value)) or kind.startswith("func")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _called(given: Sequence[Any], wanted: Sequence[Any]) -> tuple[Sample, ...]:
    wrapped = all(_is_list(one) and len(one) == 1 for one in wanted)
    try:
        return tuple(
            Sample(_lines(_arguments(one)), _lines([value, value[0]] if wrapped else [value]))
            for one, value in zip(given, wanted, strict=True)
        )
    except (TypeError, ValueError, RecursionError):
        raise Unusable("tests hold values that JSON cannot hold") from None


def _arguments(value: Any) -> Sequence[Any]:
    """A text has an argument a line, each JSON."""
    if isinstance(value, str) and not isinstance(value, Number):
        return [loads(line) for line in value.splitlines() if line.strip()]
    return value if _is_list(value) else [value]


def _value(value: Any) -> Any:
    """A text holds JSON, or it is the value itself."""
    if not isinstance(value, str) or isinstance(value, Number):
        return value
    try:
        return loads(value)
    except Unusable:
        return value


def _lines(values: Sequence[Any]) -> str:
    return "".join(f"{written(one)}\n" for one in values)
