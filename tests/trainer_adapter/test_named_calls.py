"""What a row names to call, and what its tests call: where they differ, right programs would be refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trainer_adapter.data import schemas
from trainer_adapter.data.item import Item, Unusable

BOTH = {"inputs": ["5 6\n", "-1 1\n"], "outputs": ["11\n", "0\n"]}
ROWS: dict[str, dict[str, Any]] = {
    "apps": {"question": "Add two numbers.", "input_output": json.dumps(BOTH)},
    "eurus": {
        "data_source": "taco",
        "ability": "code",
        "prompt": [{"role": "user", "content": "Add two numbers."}],
        "reward_model": {"style": "rule", "ground_truth": json.dumps(BOTH)},
        "extra_info": {"index": 3},
    },
}
FUNCTION = {"fn_name": "add", "inputs": [[1, 2]], "outputs": [3]}
STARTER = "class Solution:\n    def add(self, a: int, b: int) -> int:\n"


def read_item(row: dict[str, Any]) -> Item:
    return schemas.read(schemas.detect(row), row)


@pytest.mark.parametrize("name", ["fn_name", "func_name", "function_name", "entry_point", "method_name", "class_name"])
def test_a_function_that_is_named_apart_from_tests_that_call_none_drops_its_row(name: str) -> None:
    """Its tests would be read as input, and every right program be refused."""
    for row in (ROWS["apps"] | {name: "plus"}, ROWS["eurus"] | {"extra_info": {"index": 3, name: "plus"}}):
        with pytest.raises(Unusable, match=f"'{name}'.*names what to call"):
            read_item(row)
        read_item(row | ({name: None} if name in row else {"extra_info": {"index": 3, name: ""}}))
    calls = {**ROWS["apps"], "input_output": json.dumps(FUNCTION)}
    assert read_item({**calls, "function_name": "Solution().add"}).function
    assert read_item({**calls, "class_name": "Solution"}).function
    for wrong in ({"function_name": "plus"}, {"class_name": "Adder"}):
        with pytest.raises(Unusable, match="tests that call another"):
            read_item({**calls, **wrong})


def test_texts_of_lists_are_no_tests() -> None:
    written = {name: json.dumps(values) for name, values in BOTH.items()}
    with pytest.raises(Unusable, match="texts of lists: give the lists"):
        read_item({**ROWS["apps"], "input_output": json.dumps(written)})
    one = {"inputs": ["[1, 2]"], "outputs": ["[2, 1]"]}
    assert len(read_item({**ROWS["apps"], "input_output": json.dumps(one)}).tests) == 1


@pytest.mark.parametrize(
    "starter",
    ["class Solution:\n    def plus(self, a, b):\n", "class Adder:\n    def add(self, a, b):\n", "def plus(a):"],
)
def test_starter_code_of_another_function_drops_its_row(starter: str) -> None:
    row = {**ROWS["apps"], "input_output": json.dumps(FUNCTION)}
    with pytest.raises(Unusable, match="starter code that defines another function"):
        read_item({**row, "starter_code": starter})
    for right in (STARTER, "# class Node:\n" + STARTER, "class Node:\n    pass\n\n" + STARTER, "def add(a, b):\n"):
        assert read_item({**row, "starter_code": right}).starter == right
