"""/docs: the calls of the API, made from its OpenAPI description on the server. It loads nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from judge.server.page import look
from judge.server.page.session import AVisit

router = APIRouter(route_class=look.PageRoute)

_METHODS = ("get", "post", "put", "delete")
_REF = "#/components/schemas/"
#: FastAPI's own: how it would tell of wrong fields. Ours are told otherwise.
_NOT_OURS = ("HTTPValidationError", "ValidationError")
_BOUNDS = (
    *(("minimum", "≥ {}"), ("exclusiveMinimum", "> {}"), ("maximum", "≤ {}"), ("exclusiveMaximum", "< {}")),
    *(("maxLength", "≤ {}"), ("maxItems", "≤ {}"), ("maxProperties", "≤ {}")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """The type of a field: words, and the names of schemas among them, which have an entry of their own."""

    parts: tuple[tuple[str, bool], ...]
    bounds: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    name: str
    #: path, query, header or body.
    place: str
    kind: Kind
    required: bool
    default: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    method: str
    path: str
    says: str
    fields: tuple[Field, ...]
    #: The media types of the body, with what it holds.
    bodies: tuple[tuple[str, Kind], ...]
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    name: str
    says: str
    fields: tuple[Field, ...]
    #: Of a set of words.
    values: tuple[str, ...]


@router.get("/docs")
async def show(request: Request, visit: AVisit) -> Response:
    described = request.app.openapi()
    return look.page(request, visit, "docs.html", groups=calls(described), schemas=schemas(described))


def calls(described: Mapping[str, Any]) -> dict[str, list[Call]]:
    """By their tag."""
    groups: dict[str, list[Call]] = {}
    for path, methods in described["paths"].items():
        for method, call in methods.items():
            if method in _METHODS:
                groups.setdefault(call["tags"][0], []).append(_call(method, path, call))
    return groups


def schemas(described: Mapping[str, Any]) -> list[Schema]:
    found = described.get("components", {}).get("schemas", {})
    return [
        Schema(
            name=name,
            says=schema.get("description", ""),
            fields=tuple(_fields(schema)),
            values=tuple(json.dumps(value) for value in schema.get("enum", ())),
        )
        for name, schema in found.items()
        if name not in _NOT_OURS
    ]


def _call(method: str, path: str, call: Mapping[str, Any]) -> Call:
    content = call.get("requestBody", {}).get("content", {})
    return Call(
        method=method.upper(),
        path=path,
        says=call.get("description", ""),
        fields=tuple(
            _field(one["name"], one["in"], one["schema"], one.get("required", False), one.get("description", ""))
            for one in call.get("parameters", ())
        ),
        bodies=tuple((media, kind(one.get("schema", {}))) for media, one in content.items()),
        answers=tuple(sorted(code for code in call["responses"])),
    )


def _fields(schema: Mapping[str, Any]) -> Iterator[Field]:
    required = schema.get("required", ())
    for name, one in schema.get("properties", {}).items():
        yield _field(name, "body", one, name in required, one.get("description", ""))


def _field(name: str, place: str, schema: Mapping[str, Any], required: bool, says: str) -> Field:
    default = json.dumps(schema["default"], ensure_ascii=False) if "default" in schema else ""
    return Field(name=name, place=place, kind=kind(schema), required=required, default=default, says=says)


def kind(schema: Mapping[str, Any]) -> Kind:
    """The type that a schema describes."""
    parts = tuple(_parts(schema))
    choices = [schema, *(one for one in schema.get("anyOf", ()) if isinstance(one, dict))]
    bounds = [words.format(f"{one[name]:g}") for one in choices for name, words in _BOUNDS if name in one]
    return Kind(parts=parts, bounds=", ".join(bounds))


def _parts(schema: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Words, and whether each is the name of a schema."""
    if "$ref" in schema:
        yield schema["$ref"].removeprefix(_REF), True
    elif choices := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        for number, one in enumerate(choices):
            if number:
                yield " | ", False
            yield from _parts(one)
    elif "enum" in schema or "const" in schema:
        yield " | ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")])), False
    elif schema.get("type") == "array":
        yield "[", False
        yield from _parts(schema.get("items", {}))
        yield ", …]", False
    elif schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        yield "{…: ", False
        yield from _parts(schema["additionalProperties"])
        yield "}", False
    else:
        yield (
            str(schema.get("format", "")) if schema.get("format") == "binary" else str(schema.get("type", "any")),
            False,
        )
