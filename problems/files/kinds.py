"""Refuses a value of another kind than its key's, of which pydantic would make one without a word: `true` is no 1, and
"false" in quotes is not false."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel, ValidationInfo, field_validator
from pydantic_core import PydanticKnownError


class Plain(BaseModel):
    """Base of all models of files."""

    @field_validator("*", mode="before")
    @classmethod
    def _of_its_kind(cls, given: object, info: ValidationInfo) -> object:
        wanted = _list_wanted(cls).get(info.field_name or "", "")
        if wanted == "bool":
            if isinstance(given, (str, int, float)) and not isinstance(given, bool):
                raise PydanticKnownError("bool_type")
        elif wanted and isinstance(given, bool):
            raise PydanticKnownError("int_type" if wanted == "int" else "float_type")
        elif wanted and any(isinstance(one, bool) for one in _list_inner(given)):
            raise ValueError("has true or false in place of a number")
        return given


def _list_inner(given: object) -> Iterator[object]:
    if isinstance(given, (list, tuple)):
        yield from given
    elif isinstance(given, dict):
        yield from given.values()


@cache
def _list_wanted(model: type[BaseModel]) -> dict[str, str]:
    """By field: int or float, if it takes numbers and no truth values; bool, if it takes nothing else."""
    found = {name: set(_list_leaves(field.annotation)) for name, field in model.model_fields.items()}
    return {name: wanted for name, leaves in found.items() if (wanted := _name_wanted(leaves))}


def _name_wanted(leaves: set[Any]) -> str:
    if leaves <= {bool, type(None)}:
        return "bool"
    other = any(
        leaf in (bool, Any, object) or (isinstance(leaf, type) and issubclass(leaf, BaseModel)) for leaf in leaves
    )
    return "" if other else next((kind.__name__ for kind in (int, float) if kind in leaves), "")


def _list_leaves(annotation: Any) -> Iterator[Any]:
    parts = [part for part in get_args(annotation) if part is not ...]
    if not parts:
        yield annotation
    for part in parts:
        yield from _list_leaves(part)
