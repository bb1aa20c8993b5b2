"""Reads the tests of a row, in any form that data sets have: input to read, or calls of a function of the program.

    {"inputs": ["1 2\\n"], "outputs": ["3\\n"]}                       APPS, TACO, Eurus; with "fn_name" they call
    [{"input": "1 2\\n", "output": "3\\n", "type": "stdin_stdout"}]   LiveCodeBench, PrimeIntellect, open-r1
    {"test_code": "def check(candidate): …", "entry_point": "f"}     Skywork-OR1: assertions
    ["assert f(1) == 2"]                                             AceCode, AllenAI's RLVR data

Of a call, out come tests as `problems.model.Function` has them: an argument a line of the input, a right value a line
of the answer, all JSON. `judge.checkers.calls` decodes them. Some data sets put each value into a list of its own:
where all values could be such lists, both are right, as for the programs that come with those data sets.

A key that is not known is refused: it may be a test, a checker or the name of a function.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judge.checkers.assertions import NotHeld
from judge.checkers.assertions.reading import Assertions, read_assertions
from judge.checkers.calls import Call, NotACall, decode_call, is_list, is_text
from problems.model import Equality, Function
from problems.text.statement import Sample
from trainer_adapter.data.arrays import as_list
from trainer_adapter.data.item import (
    Unusable,
    calls_function,
    cases,
    first_held,
    loads,
    pair_columns,
    refuse_half_a_test,
    refuse_unknown_keys,
)
from trainer_adapter.data.tests_column import Case, Inline

_LISTS = frozenset(("inputs", "outputs", "input", "output", "fn_name", "func_name", "metadata", "type", "testtype"))
_CODE = frozenset(("test_code", "entry_point", "import_prefix"))
#: How far floats that a function returns may be from the answer's, where nothing states it: the sites that such tests
#: come from take 1e-5 or 1e-6, and last bits differ from program to program. Integers are to be equal.
FLOATS = 1e-6
_FLOAT = re.compile(r"\d\.\d|\de-?\d")
_NAME = re.compile(r"(?:Solution(?:\(\))?\.)?([A-Za-z_]\w{0,99})", re.ASCII)


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
    found = loads(as_list(value))
    if isinstance(found, Mapping) and found:
        return _read_mapping(found, name)
    if is_list(found):
        return _read_list(found, name)
    if found is None or found == {}:
        return Tests(())
    raise Unusable("tests are of no known form")


def _read_mapping(found: Mapping[str, Any], name: str) -> Tests:
    if found.get("assert_case") is not None or found.get("test_code") is not None:
        refuse_unknown_keys(found, _CODE | {"assert_case", "fn_name", "func_name"})
        stated = found.get("entry_point")
        called = name or (function_name(stated) if stated else _name(found))
        texts = [*_texts(found.get("assert_case")), *_texts(found.get("test_code"))]
        return held_tests(read_held(texts, called))
    refuse_unknown_keys(found, _LISTS)
    if not (calls_function(found) or name):
        return Tests(cases({key: found[key] for key in ("inputs", "outputs", "input", "output") if key in found}))
    own = _agree_on_name(name, _name(found))
    if not own:
        raise Unusable("tests call a function without a name")
    return _make_tests(*pair_columns(found), Function(name=own, integer_keys=True))


def _read_list(found: Sequence[Any], name: str) -> Tests:
    if found and all(isinstance(one, str) for one in found):
        if not all(one.lstrip().startswith("{") for one in found):
            return held_tests(read_held(found, name))
        found = [loads(one) for one in found]  # AllenAI's: a text of JSON for each test
    if not any(isinstance(one, Mapping) for one in found):
        if name and found:
            raise Unusable("tests call a function, and are of no known form")
        return Tests(cases(found))
    calls = [isinstance(one, Mapping) and calls_function(one, named=bool(name)) for one in found]
    if not any(calls):
        return Tests(cases(found))
    if not all(calls):
        raise Unusable("some tests call a function, others give input to read")
    names = {_agree_on_name(name, _name(one)) for one in found}
    if len(names) > 1 or not min(names):
        raise Unusable("tests call a function without a name" if not min(names) else "tests call several functions")
    for one in found:
        refuse_half_a_test(one)
    wanted = [first_held(one, "output", "expected_output", "answer") for one in found]
    if any(one is None for one in wanted):  # a result of null is the text "null" there
        raise Unusable("tests have no outputs")
    return _make_tests([_read_arguments(one) for one in found], wanted, Function(name=min(names)))


def read_held(value: str | Sequence[str], name: str = "") -> Assertions:
    """As `read_assertions`. Raises Unusable for its NotHeld."""
    try:
        return read_assertions(value, name)
    except NotHeld as error:
        raise Unusable(str(error)) from None


def held_tests(held: Assertions) -> Tests:
    return Tests(held.tests, held.function, held)


def inline(value: Any) -> Inline:
    """Tests of either kind, in any form, as the `tests` column has them.

    Raises:
        Unusable: they are of no known form, or none.
    """
    tests = read_tests(value)
    if not tests.cases:
        raise Unusable("the row holds no tests")
    if tests.held is not None and tests.held.left_out:
        raise Unusable("some of the row's assertions are of no form that can be held")
    found = tuple(Case(input=each.input, output=each.output) for each in tests.cases)
    if tests.function is None:
        return Inline(tests=found)
    floats = FLOATS if any(_FLOAT.search(each.output) for each in tests.cases) else None
    return Inline(
        tests=found,
        function=tests.function.name,
        integer_keys=tests.function.integer_keys,
        python_values=tests.function.python_values,
        equality=tests.function.equality,
        absolute_tolerance=floats if tests.held is None else tests.held.absolute_tolerance,
        relative_tolerance=floats if tests.held is None else tests.held.relative_tolerance,
    )


def join_parts(*parts: Tests) -> Tests:
    """All tests of the parts. Raises Unusable if they are not of one kind."""
    functions = {part.function for part in parts if part.cases}
    if len(functions) > 1:
        raise Unusable("some tests call a function, others give input to read")
    return Tests(tuple(one for part in parts for one in part.cases), next(iter(functions), None))


def function_name(stated: Any) -> str:
    """The name of the function out of "f", "Solution().f" or "Solution.f": a program may define either.

    Raises:
        Unusable: no program can define it.
    """
    found = _NAME.fullmatch(stated.strip()) if isinstance(stated, str) else None
    if found is None or keyword.iskeyword(found[1]):
        raise Unusable("the function has no name that a program can define")
    return found[1]


SEVERAL = "tests call several functions"


def _name(value: Mapping[str, Any]) -> str:
    """The name that tests state; "": none."""
    about = value.get("metadata")
    if about is not None:
        if not isinstance(about, Mapping):
            raise Unusable("metadata of tests are not understood")
        refuse_unknown_keys(about, frozenset(("fn_name", "func_name")))
    places = (value, about) if isinstance(about, Mapping) else (value,)
    stated = {function_name(place[key]) for place in places for key in ("fn_name", "func_name") if place.get(key)}
    if len(stated) > 1:
        raise Unusable(SEVERAL)
    return next(iter(stated), "")


def _agree_on_name(name: str, own: str) -> str:
    if name and own and name != own:
        raise Unusable(SEVERAL)
    return name or own


def _read_arguments(test: Mapping[str, Any]) -> Any:
    given = first_held(test, "input")
    whole = given.strip() if is_text(given) and test.get("type") == "function_call" else ""
    if whole.startswith("[") and "\n" not in whole and is_list(loads(whole)):
        raise Unusable("a call's input is text with one list: it may be an argument, or all of them")
    return given


def _texts(value: Any) -> list[str]:
    found = [] if value is None else [value] if isinstance(value, str) else list(as_list(value))
    if not all(isinstance(one, str) for one in found):
        raise Unusable("assertions are no text")
    return found


def _make_tests(given: Sequence[Any], wanted: Sequence[Any], function: Function) -> Tests:
    """The tests of a function. Whether tuples equal lists is as in the program that such tests come with."""
    try:
        found = [decode_call(one, value) for one, value in zip(given, wanted, strict=True)]
        wrapped = all(not call.was_text and is_list(call.value) and len(call.value) == 1 for call in found)
        equality = Equality.APPS if wrapped else Equality.PYTHON
        keys = function.integer_keys and not any(call.was_text for call in found)  # of texts only `json.loads` is taken
        function = replace(function, equality=equality, integer_keys=keys)
        return Tests(tuple(_sample(call, wrapped) for call in found), function)
    except NotACall as error:
        raise Unusable(str(error)) from None


def _sample(call: Call, wrapped: bool) -> Sample:
    return Sample(call.input(), call.answer(call.value[0]) if wrapped else call.answer())
