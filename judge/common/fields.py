"""Words for what pydantic finds wrong. An unknown field is named with the one that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from judge.common.text import one_line
from problems.errors import nearest

_UNKNOWN = "extra_forbidden"
#: Of a text that somebody sent, in a message.
_SHOWN = 60
#: An object may have a million unknown fields. This many of them are told.
_TOLD = 10


class Strict(BaseModel):
    """A frozen model without unknown fields. The error of one says which field was probably meant."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="wrap")
    @classmethod
    def _say_what_was_meant(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(data)
        except ValidationError as error:
            found = error.errors(include_url=False)
            if not any(_is_own(one) for one in found):
                raise
            raise ValidationError.from_exception_data(cls.__name__, _details(found, cls.model_fields)) from error


def _is_own(one: Any) -> bool:
    return one["type"] == _UNKNOWN and len(one["loc"]) == 1


def _details(found: Iterable[Any], known: Iterable[str]) -> list[InitErrorDetails]:
    known, details, unknown = tuple(known), [], 0
    for one in found:
        text = one["msg"]
        if _is_own(one):
            unknown += 1
            if unknown > _TOLD:
                continue
            text = f"unknown field {unknown_name(str(one['loc'][0]), known)}"
        kind = PydanticCustomError(one["type"], text)
        details.append(InitErrorDetails(type=kind, loc=one["loc"], input=one["input"]))
    return details


def unknown_name(name: str, known: Iterable[str]) -> str:
    """An unknown name, and what was probably meant: `'sourc'; did you mean 'source'?`"""
    known = tuple(known)
    near = nearest(name, known)
    offer = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known) or 'none'}"
    return f"{one_line(name, _SHOWN)!r}; {offer}"


def first_error(error: ValidationError) -> str:
    """Where the first error is, and what is wrong: `key (entry 2): name: is missing`."""
    first = error.errors(include_url=False)[0]
    parts = first["loc"][:-1] if first["type"] == _UNKNOWN else first["loc"]
    where = ": ".join(f"(entry {part + 1})" if isinstance(part, int) else str(part) for part in parts)
    what = _words(first)
    return f"{where.replace(': (', ' (')}: {what}" if where else what


def _words(first: Any) -> str:
    if first["type"] == "missing":
        return "is missing"
    if first["type"] == "literal_error":
        choices = first["ctx"]["expected"]
        near = nearest(str(first["input"]), (each.strip(" '") for each in choices.replace(" or ", ",").split(",")))
        offer = f"did you mean {near[0]!r}?" if near else f"known are {choices}"
        return f"{one_line(str(first['input']), _SHOWN)!r} is unknown; {offer}"
    return str(first["msg"]).removeprefix("Value error, ")
