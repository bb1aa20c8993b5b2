"""Says what is wrong with a value of a file, and what to write: pydantic's own words know neither file nor format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from problems.errors import nearest

Location = tuple[int | str, ...]

#: What to write, by the first word of the kind of an error.
_WANTED: Mapping[str, str] = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    **dict.fromkeys(("list", "tuple", "set", "frozen"), "a list"),
    **dict.fromkeys(("dict", "mapping", "model", "dataclass"), "a map of keys"),
}
_MISMATCHES = ("_type", "_parsing", "_parsing_size", "_from_float")
_BOUNDS: Mapping[str, tuple[str, str]] = {
    "greater_than": ("gt", "a number above"),
    "greater_than_equal": ("ge", "a number of at least"),
    "less_than": ("lt", "a number below"),
    "less_than_equal": ("le", "a number of at most"),
    "too_short": ("min_length", "a list of at least"),
    "too_long": ("max_length", "a list of at most"),
    "string_too_short": ("min_length", "a text whose characters are at least"),
    "string_too_long": ("max_length", "a text whose characters are at most"),
}
_SHOWN = 40


def explain(
    error: ValidationError, data: object, model: type[BaseModel], within: Location = ()
) -> tuple[Location, str, str]:
    """Where the first error is, what is wrong there, and what to do. `within`: where `data` lies in its file."""
    found = error.errors(include_url=False)
    first, location = found[0], locate(data, found[0]["loc"], found[0]["type"])
    same = [first]
    if _say_wanted(first) is not None:  # it may be one branch of several
        for other in found[1:]:
            place = locate(data, other["loc"], other["type"])
            if place == location and _say_wanted(other) is not None:
                same.append(other)
            elif len(place) > len(location) and place[: len(location)] == location:
                same, location = [other], place
                break
    what, remedy = _words(same, location, data, model, ".".join(map(str, (*within, *location))))
    return (*within, *location), what, remedy


def locate(data: object, parts: Iterable[int | str], kind: str) -> Location:
    """The keys and indices among `parts`, to which pydantic adds the branches of unions that it tried ("list[str]")."""
    found: list[int | str] = []
    parts = tuple(parts)
    for part in parts:
        match data:
            case dict() if part in data:
                data = data[part]
            case list() if isinstance(part, int) and part < len(data):
                data = data[part]
            case _:
                continue
        found.append(part)
    return (*found, parts[-1]) if kind == "missing" else tuple(found)


def _words(same: Sequence[Any], location: Location, data: object, model: type[BaseModel], key: str) -> tuple[str, str]:
    first = same[0]
    kind, context = first["type"], first.get("ctx", {})
    named = f"{key}: " if key else ""
    if kind == "extra_forbidden":
        near = nearest(str(location[-1]), known_keys(model, location[:-1]))
        return f"unknown key {key!r}", f"did you mean {near[0]!r}?" if near else "remove it"
    if kind == "missing":
        return f"key {key!r} is missing", "add it"
    what = f"{named}is {_show(_value(data, location))}"
    if wanted := [word for each in same if (word := _say_wanted(each)) is not None]:
        return what, f"write {' or '.join(dict.fromkeys(wanted))}"
    if kind in ("literal_error", "enum"):
        return what, f"write {context['expected']}"
    if kind in _BOUNDS:
        bound, words = _BOUNDS[kind]
        number = context[bound]
        return what, f"write {words} {int(number) if number == int(number) else number}"
    if kind == "finite_number":
        return what, "write a finite number"
    return f"{named}{first['msg'].removeprefix('Value error, ')}", "correct the value"


def _say_wanted(error: Any) -> str | None:
    """What to write in place of a value of another type."""
    kind: str = error["type"]
    return _WANTED.get(kind.partition("_")[0]) if kind.endswith(_MISMATCHES) else None


def _value(data: object, location: Location) -> object:
    for part in location:
        data = data[part]  # type: ignore[index]
    return data


def _show(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case dict():
            return "a map"
        case list():
            return "a list"
        case str():
            return repr(value[:_SHOWN])
        case _:
            return str(value)[:_SHOWN]


def known_keys(model: type[BaseModel], location: Location) -> list[str]:
    """The keys of the model at `location`, as far as models are nested plainly."""
    for part in location:
        field = model.model_fields.get(str(part))
        types = _types(field.annotation) if field else ()
        nested = [kind for kind in types if isinstance(kind, type) and issubclass(kind, BaseModel)]
        if not nested:
            return []
        model = nested[0]
    return [field.alias or name for name, field in model.model_fields.items()]


def _types(annotation: Any) -> tuple[Any, ...]:
    return getattr(annotation, "__args__", None) or (annotation,)
