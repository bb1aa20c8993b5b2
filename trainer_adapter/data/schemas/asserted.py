"""Reads rows whose tests are assertions of Python: MBPP, HumanEval, both with EvalPlus's tests, KodCode, AceCode,
LeetCodeDataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judge.checkers.assertions.reading import Assertions
from trainer_adapter.data.arrays import as_list
from trainer_adapter.data.calls import function_name, read_held
from trainer_adapter.data.item import Item, Row, Unusable, label, text
from trainer_adapter.data.schemas.schema import Schema, columns


def mbpp(row: Row) -> Item:
    """MBPP, and MBPP+, whose `test` holds more than `test_list`."""
    setup = row.get("test_setup_code") or ""
    listed = [*_texts(row["test_list"]), *_texts(row.get("challenge_test_list"))]
    held = read_held([setup, *listed] if setup else listed)
    if row.get("test") is not None:
        held = read_held(text(row, "test"), held.function.name)
    return _item(row, held, text(row, "prompt", "text"))


def humaneval(row: Row) -> Item:
    return _item(row, read_held(text(row, "test"), _name_function(row)), text(row, "prompt"))


def leetcode(row: Row) -> Item:
    """newfacade/LeetCodeDataset. Its `prompt` is the imports that come before the answer."""
    held = read_held(text(row, "test"), _name_function(row))
    return _item(row, held, text(row, "problem_description"), starter=text(row, "starter_code"))


def kodcode(row: Row) -> Item:
    about = as_list(row.get("test_info"))
    first = about[0] if isinstance(about, Sequence) and about and isinstance(about[0], Mapping) else {}
    stated = first.get("function_name")
    held = read_held(text(row, "test", "test_code"), function_name(stated) if stated else "")
    return _item(row, held, text(row, "question"), starter=str(first.get("function_declaration") or ""))


def acecode(row: Row) -> Item:
    return _item(row, read_held(_texts(row["test_cases"])), text(row, "question"))


def _name_function(row: Row) -> str:
    return function_name(text(row, "entry_point"))


def _texts(value: Any) -> list[str]:
    value = as_list(value)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise Unusable("assertions are no texts")
    return value


def _item(row: Row, held: Assertions, statement: str, starter: str = "") -> Item:
    return Item(
        id=label(row, "task_id", "question_id", "id"),
        statement=statement,
        difficulty=label(row, "difficulty"),
        tests=held.tests,
        function=held.function,
        starter=starter,
        missing=held.left_out,
        absolute_tolerance=held.absolute_tolerance,
        relative_tolerance=held.relative_tolerance,
    )


SCHEMAS = (
    Schema(
        "leetcode",
        columns("problem_description entry_point test"),
        leetcode,
        columns("task_id question_id difficulty starter_code prompt query input_output"),
    ),
    Schema("humaneval", columns("prompt entry_point test"), humaneval, columns("task_id")),
    Schema(
        "mbpp",
        columns("test_list"),
        mbpp,
        columns("task_id prompt text test test_imports test_setup_code challenge_test_list"),
    ),
    Schema("kodcode", columns("question test test_info"), kodcode, columns("question_id id difficulty")),
    Schema("kodcode", columns("question test_code test_info"), kodcode, columns("question_id id difficulty")),
    Schema("acecode", columns("question test_cases"), acecode, columns("id question_id source")),
)
