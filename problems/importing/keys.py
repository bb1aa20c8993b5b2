"""Finds the keys of a file of another format that its model does not know."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field, model_validator

from problems.files.kinds import Plain

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}\[\]:,]|[^\s{}\[\]:,"]++', re.DOTALL)


#: Points, as formats state them.
Points = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]


class Foreign(Plain):
    """Base of the files of other formats: unknown keys are kept, and told. A known key that is null is not stated, but
    one that must be."""

    #: Keys of the format that judging does not depend on, separated by blanks.
    UNREAD: ClassVar[str] = ""

    model_config = ConfigDict(frozen=True, extra="allow", coerce_numbers_to_str=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _without_null(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        known = {field.alias or name for name, field in cls.model_fields.items() if not field.is_required()}
        return {key: value for key, value in given.items() if value is not None or key not in known}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownKey:
    #: The keys and indices that lead to it.
    location: tuple[int | str, ...]
    #: Those that the model knows in its place.
    known: tuple[str, ...]

    @property
    def dotted(self) -> str:
        return ".".join(part for part in self.location if isinstance(part, str))


def unknown_keys(made: object, above: tuple[int | str, ...] = ()) -> Iterator[UnknownKey]:
    """Of a model, and of all models in it."""
    if isinstance(made, Foreign):
        fields = type(made).model_fields
        unread = type(made).UNREAD.split()
        known = (*(field.alias or name for name, field in fields.items()), *unread)
        for key in made.model_extra or ():
            if key not in unread:
                yield UnknownKey(location=(*above, key), known=known)
        for name in fields:
            yield from unknown_keys(getattr(made, name), (*above, fields[name].alias or name))
    elif isinstance(made, Mapping):
        for key, item in made.items():
            yield from unknown_keys(item, (*above, key))
    elif isinstance(made, tuple):
        for index, item in enumerate(made):
            yield from unknown_keys(item, (*above, index))


def line_of_value(text: str, location: Sequence[int | str]) -> int:
    """The line of JSON text of the value at these keys and indices, or of what is above it; first letters may be
    small."""
    #: The key or the index in each map and list that is open; None: a key follows.
    above: list[int | str | None] = []
    place = deepest = 0
    for match in _TOKEN.finditer(text):
        match match[0]:
            case ":":
                continue
            case "}" | "]":
                del above[-1:]
                continue
            case ",":
                if above:
                    above[-1] = above[-1] + 1 if isinstance(above[-1], int) else None
                continue
            case token if above and above[-1] is None and token[0] == '"':
                above[-1] = json.loads(token, strict=False)
        if deepest <= len(above) <= len(location) and all(map(_is_same, above, location)):
            place, deepest = match.start(), len(above)
        if match[0] in ("{", "["):
            above.append(None if match[0] == "{" else 0)
    return text.count("\n", 0, place) + 1


def _is_same(key: int | str | None, other: int | str) -> bool:
    return str(key) in (str(other), str(other)[:1].lower() + str(other)[1:])


def line_of_key(text: str, key: str) -> int | None:
    """The line of JSON text on which a key stands first."""
    place = text.find(json.dumps(key))
    if place < 0:
        place = text.find(json.dumps(key, ensure_ascii=False))
    return text.count("\n", 0, place) + 1 if place >= 0 else None


def raise_keys(data: Any, depth: int = 8) -> Any:
    """The same with keys that begin with a capital letter, as deep as models go."""
    if isinstance(data, dict) and depth:
        return {key[:1].upper() + key[1:]: raise_keys(value, depth - 1) for key, value in data.items()}
    return [raise_keys(value, depth - 1) for value in data] if isinstance(data, list) and depth else data
