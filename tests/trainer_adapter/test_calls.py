"""One decoder reads the tests that call a function: rows, the column of tests, rewards and the service share it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judge.checkers.calls import NotACall, decode_call
from judge.checkers.values import Number
from trainer_adapter.data.calls import function_name, inline, read_tests
from trainer_adapter.data.item import Unusable
from trainer_adapter.data.tests_text import unpack

#: Tests as texts of JSON, and what the first becomes.
FORMS: dict[str, tuple[Any, tuple[str, str]]] = {
    "lines": ({"fn_name": "f", "inputs": ["[1, 2]\n3"], "outputs": ["6"]}, ("[ 1 , 2 ]\n3\n", "6\n")),
    "one list is one argument": (
        {"fn_name": "f", "inputs": ["[1, 2]"], "outputs": ["[3]"]},
        ("[ 1 , 2 ]\n", "[ 3 ]\n"),
    ),
    "a text": ({"fn_name": "f", "inputs": ['"ab"\n2'], "outputs": ['"abab"']}, ('"ab"\n2\n', '"abab"\n')),
    "a text as verl prints it": (
        {"fn_name": "f", "inputs": ['"ab"'], "outputs": ["ab cd"]},
        ('"ab"\n', '"ab\\u0020cd"\n'),
    ),
    "a value beside text": ({"fn_name": "f", "inputs": ["1"], "outputs": [[2]]}, ("1\n", "[ 2 ]\n")),
    "a separator that is no line end": (
        {"fn_name": "f", "inputs": ['"\u2028"'], "outputs": ["1"]},
        ('"\\u2028"\n', "1\n"),
    ),
    "a text within a text": ({"fn_name": "f", "inputs": ["1"], "outputs": ['"\\"a\\""']}, ("1\n", '"\\"a\\""\n')),
    "infinity": ({"fn_name": "f", "inputs": ["-Infinity"], "outputs": ["Infinity"]}, ("-Infinity\n", "Infinity\n")),
    "a text that names NaN": ({"fn_name": "f", "inputs": ["1"], "outputs": ['"NaN"']}, ("1\n", '"NaN"\n')),
    "values": ({"fn_name": "f", "inputs": [[[1, 2], 3]], "outputs": [6]}, ("[ 1 , 2 ]\n3\n", "6\n")),
    "values that look like numbers": ({"fn_name": "f", "inputs": [["6"]], "outputs": ["6"]}, ('"6"\n', '"6"\n')),
    "values in lists": ({"fn_name": "f", "inputs": [[1]], "outputs": [[2]]}, ("1\n", "[ 2 ]\n2\n")),
    "no argument": ({"fn_name": "f", "inputs": [[]], "outputs": [7]}, ("", "7\n")),
    "SandboxFusion": ({"type": "function_call", "fn_name": "f", "input": [[1, 2]], "output": [3]}, ("1\n2\n", "3\n")),
    "LiveCodeBench": (
        [{"input": "1\n2", "output": "3", "testtype": "functional", "metadata": {"func_name": "f"}}],
        ("1\n2\n", "3\n"),
    ),
    "a method": ({"fn_name": "Solution().f", "inputs": [[1]], "outputs": [2]}, ("1\n", "2\n")),
    "Skywork": (
        {
            "entry_point": "Solution().f",
            "import_prefix": "",
            "test_code": "def check(candidate):\n    assert candidate(1, y=2) == 3",
        },
        ('1\n{ "__keywords__" : [ [ "y" , 2 ] ] }\n', "3\n"),
    ),
    "AllenAI": (["assert f(1) == 2", "assert f(2) == 3"], ("1\n", "2\n")),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str) -> None:
    value, first = FORMS[form]
    for given in (value, json.dumps(value)):
        tests = read_tests(given)
        assert tests.function is not None
        assert tests.function.name == "f"
        assert (tests.cases[0].input, tests.cases[0].output) == first
    held = unpack(json.dumps(value))
    assert held.function == "f"
    assert (held.tests[0].input, held.tests[0].output) == first


CALL = {"fn_name": "f", "inputs": ["1"], "outputs": ["2"]}
LISTED = {"input": "1", "output": "2", "testtype": "functional", "metadata": {"func_name": "f"}}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (CALL | {"inputs": ["abc"]}, "a line of it is no JSON"),
        (CALL | {"outputs": ["[1, 2"]}, "looks like JSON and is none"),
        (CALL | {"outputs": ["True"]}, "looks like JSON and is none"),
        (CALL | {"outputs": ["(1, 2)"]}, "looks like JSON and is none"),
        (CALL | {"outputs": ["('a',)"]}, "looks like JSON and is none"),
        (CALL | {"outputs": ["'a'"]}, "looks like JSON and is none"),
        (CALL | {"outputs": ["{1: 2}"]}, "looks like JSON and is none"),
        (CALL | {"outputs": ["set()"]}, "looks like JSON and is none"),
        (CALL | {"outputs": ["b'a'"]}, "looks like JSON and is none"),
        (CALL | {"outputs": ["deque([1])"]}, "looks like JSON and is none"),
        (CALL | {"outputs": ["NaN"]}, "NaN, which equals nothing"),
        (CALL | {"outputs": ["[1, NaN]"]}, "NaN, which equals nothing"),
        (CALL | {"inputs": [[1]], "outputs": [float("nan")]}, "NaN, which equals nothing"),
        (CALL | {"outputs": []}, "not as many"),
        (CALL | {"type": "stdin"}, "name a function, and give input"),
        (CALL | {"checker": "int main() {}"}, "not understood: 'checker'"),
        (CALL | {"fn_name": "a b"}, "no name that a program can define"),
        (CALL | {"fn_name": "class"}, "no name that a program can define"),
        (CALL | {"fn_name": 7}, "no name that a program can define"),
        ([LISTED | {"testtype": "functions"}], "of a type that is not understood: 'functions'"),
        ([LISTED | {"metadata": {"func_nam": "f"}}], "not understood: 'func_nam'"),
        ([LISTED | {"metadata": None}], "without a name"),
        ([{"type": "function_call", "fn_name": "f", "input": "[1, 2]", "output": "3"}], "one list"),
        ([LISTED, {"input": "1", "output": "2"}], "others give input"),
        ({"inputs": [[1, 2]], "outputs": [3]}, "values, as for a call"),
        ({"inputs": [{"a": 1}], "outputs": ["3"]}, "values, as for a call"),
        ({"fn_name": None, "inputs": ["1"], "outputs": [{"a": 1}]}, "outputs are values"),
        ([7], "no known form"),
        (["assert f(1) > 2"], "none compares"),
    ],
)
def test_what_is_not_understood_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(Unusable, match=reason):
        read_tests(json.loads(json.dumps(value)))


def misspelt(value: Any) -> list[Any]:
    """The value, each time with one of its keys written otherwise, at any depth."""
    found: list[Any] = []
    if isinstance(value, dict):
        for key, held in value.items():
            rest = {name: one for name, one in value.items() if name != key}
            found += [rest | {key + "x": held}, rest | {key[1:]: held}]
            found += [rest | {key: one} for one in misspelt(held)]
    elif isinstance(value, list) and value:
        found += [[one, *value[1:]] for one in misspelt(value[0])]
    return found


@pytest.mark.parametrize("form", [form for form in FORMS if misspelt(FORMS[form][0])])
def test_no_misspelt_key_is_read_without_a_word(form: str) -> None:
    variants = misspelt(FORMS[form][0])
    assert len(variants) >= 4
    for variant in variants:
        with pytest.raises(Unusable):
            read_tests(variant)


def test_floats_may_differ_in_their_last_bits() -> None:
    floats = unpack(json.dumps({"fn_name": "f", "inputs": [[0.1, 0.2]], "outputs": [0.3]}))
    assert (floats.absolute_tolerance, floats.relative_tolerance) == (1e-6, 1e-6)
    assert unpack(json.dumps({"fn_name": "f", "inputs": [[1]], "outputs": [10**17 + 1]})).absolute_tolerance is None


def test_what_comes_from_the_decoder() -> None:
    call = decode_call("1\n\n[2]\n", " 3 ")
    assert (call.arguments, call.value, call.was_text) == ((Number("1"), [Number("2")]), Number("3"), True)
    assert decode_call(5, "x").arguments == (5,)
    with pytest.raises(NotACall, match="JSON cannot hold"):
        decode_call([{1}], 2).input()


@pytest.mark.parametrize(("stated", "name"), [("f", "f"), ("Solution().f", "f"), ("Solution.f", "f"), (" f ", "f")])
def test_function_names(stated: str, name: str) -> None:
    assert function_name(stated) == name


@pytest.mark.parametrize("stated", ["", "Other().f", "f()", "f.g", "1f", "def", "é", "f" * 101, None, ["f"]])
def test_names_that_no_program_can_define(stated: Any) -> None:
    with pytest.raises(Unusable):
        function_name(stated)


def test_keys_of_maps_are_texts_where_the_tests_are() -> None:
    """LiveCodeBench's own comparison takes what `json.loads` gives; APPS's values are those of Python."""
    texts = inline({"fn_name": "f", "inputs": ["1"], "outputs": ['{"1": "a"}']})
    values = inline({"fn_name": "f", "inputs": [[1]], "outputs": [[{"1": "a"}]]})
    assert (texts.integer_keys, values.integer_keys) == (False, True)
