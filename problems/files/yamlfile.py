"""Reads a YAML file into a frozen model, and writes YAML. Every error names the file, the line and the remedy.

Packages come from strangers. So we first check the nesting (libyaml's composer would overflow the C stack), refuse
aliases (a few of them expand to gigabytes) and tags, and report keys that are given twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from problems.files.kinds import Plain
from problems.files.tree import Tree
from problems.files.wrong import explain, known_keys, locate

try:
    from yaml import CSafeLoader as Loader
except ImportError:  # PyYAML without libyaml
    from yaml import SafeLoader as Loader  # type: ignore[assignment]

MAX_DEPTH = 32
_TOO_DEEP = f"is nested more than {MAX_DEPTH} deep"
#: The most values in one file: keys, scalars, lists and maps. Reading one takes ten microseconds.
MAX_VALUES = 50_000
#: The most characters of a number, date or time. (YAML's base 60 takes time by the square.)
MAX_NUMBER = 100


_NUMBERS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "timestamp"))


#: Numbers in YAML 1.2. In 1.1, which PyYAML reads and writes, `1e-06` and `08` are text.
_NUMBER_IN_1_2 = re.compile(r"[-+]?(?:0o[0-7_]+|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?)\Z")


class _Dumper(yaml.SafeDumper):
    """Quotes text that looks like a number in YAML 1.2, too, and escapes U+0085, which PyYAML would write as the end of
    a line."""


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if "\x85" in text else None)


_Dumper.add_representer(str, _text)
_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", _NUMBER_IN_1_2, list("-+.0123456789"))


def yaml_text(data: Mapping[str, Any]) -> str:
    """A YAML file with `data`, which readers of YAML 1.1 and 1.2 understand alike."""
    return yaml.dump(dict(data), Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=110)


class Strict(Plain):
    """Base of all file models: unknown keys are errors, as the specification asks."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", coerce_numbers_to_str=True, defer_build=True, hide_input_in_errors=True
    )


Model = TypeVar("Model", bound=BaseModel)


def read_yaml(tree: Tree, path: Path, model: type[Model], text: str | None = None) -> Model:
    """Parse and validate. `text` replaces the file's content. An empty file is an empty map."""
    node, data = _read_map(tree, path, text)
    return _validate(tree, path, model, node, data)


def _validate(tree: Tree, path: Path, model: type[Model], node: yaml.Node | None, data: dict[Any, Any]) -> Model:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        location, what, remedy = explain(error, data, model)
        line = None if node is None else _line(node, location)
        raise tree.error(path, what, remedy, line) from None


def read_of_version(
    tree: Tree, path: Path, model: type[Model], text: str, other: Callable[[], type[BaseModel]]
) -> tuple[Model, tuple[str, ...]]:
    """As `read_yaml`, but keys that only the `other` version of the format knows are left out. Returns them, too."""
    node, data = _read_map(tree, path, text)
    try:
        return model.model_validate(data), ()
    except ValidationError as error:
        unknown = [one["loc"] for one in error.errors(include_url=False) if one["type"] == "extra_forbidden"]
    ignored = []
    for parts in unknown:
        location = locate(data, parts, "")
        if str(location[-1]) in known_keys(other(), location[:-1]):
            _delete(data, location)
            ignored.append(".".join(map(str, location)))
    return _validate(tree, path, model, node, data), tuple(ignored)


def _delete(data: Any, location: tuple[int | str, ...]) -> None:
    for part in location[:-1]:
        data = data[part]
    del data[location[-1]]


def read_map(tree: Tree, path: Path, text: str | None = None) -> dict[str, Any]:
    """The keys of a file that no model describes, with plain values. `text` replaces the file's content."""
    return {str(key): value for key, value in _read_map(tree, path, text)[1].items()}


def _read_map(tree: Tree, path: Path, text: str | None) -> tuple[yaml.Node | None, dict[Any, Any]]:
    node = _compose(tree, path, tree.read_text(path) if text is None else text)
    data = {} if node is None else _construct(tree, path, node)
    if not isinstance(data, dict):
        raise tree.error(path, "does not hold a map of keys", "write `key: value` lines", 1)
    return node, data


def _compose(tree: Tree, path: Path, text: str) -> yaml.Node | None:
    try:
        depth = values = 0
        loader = Loader(text)
        while (event := loader.get_event()) is not None:
            if isinstance(event, yaml.AliasEvent):
                raise tree.error(path, "YAML aliases (*name) are not supported", "write the value out", _at(event))
            if isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)) and event.tag is not None:
                raise tree.error(path, f"YAML tag {event.tag!r} is not supported", "remove it", _at(event))
            values += isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent))
            if values > MAX_VALUES:
                raise tree.error(path, f"has more than {MAX_VALUES} values", "is this the right file?", _at(event))
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > MAX_DEPTH:
                    raise tree.error(path, _TOO_DEEP, "is this the right file?", _at(event))
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
        node = Loader(text).get_single_node()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        line = None if mark is None else mark.line + 1
        if "nesting depth" in problem:  # newer parsers, which read ahead of the events, refuse it themselves
            raise tree.error(path, _TOO_DEEP, "is this the right file?", line) from None
        raise tree.error(path, f"bad YAML: {problem}", "correct the syntax there", line) from None
    if node is not None:
        _check(tree, path, node)
    return node


def _at(event: yaml.Event) -> int | None:
    return None if event.start_mark is None else event.start_mark.line + 1


def _check(tree: Tree, path: Path, node: yaml.Node) -> None:
    """Raise ProblemError on numbers that are too long, and on keys that are lists or maps, or are given twice."""
    if isinstance(node, yaml.ScalarNode):
        if len(node.value) > MAX_NUMBER and node.tag in _NUMBERS:
            line = node.start_mark.line + 1
            raise tree.error(path, f"a number has {len(node.value)} characters", "quote it if it is text", line)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _check(tree, path, item)
    elif isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise tree.error(path, "a list or a map is used as a key", "write a plain key", line)
            if key.value in seen:
                raise tree.error(path, f"key {key.value!r} is given twice", "keep one of them", line)
            seen.add(key.value)
            _check(tree, path, key)
            _check(tree, path, value)


def _construct(tree: Tree, path: Path, node: yaml.Node) -> Any:
    loader = Loader("")
    try:
        return loader.construct_document(node)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: 2025-02-30
        mark = getattr(error, "problem_mark", None) or node.start_mark
        problem = getattr(error, "problem", None) or str(error)
        raise tree.error(path, f"bad YAML: {problem}", "correct or quote the value there", mark.line + 1) from None


def _line(node: yaml.Node, location: tuple[int | str, ...]) -> int:
    mark = node.start_mark
    for part in location:
        match node:
            case yaml.MappingNode():
                found = [(key, value) for key, value in node.value if key.value == str(part)]
                if not found:
                    break
                mark, node = found[0][0].start_mark, found[0][1]
            case yaml.SequenceNode() if isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                mark = node.start_mark
            case _:
                break
    line: int = mark.line + 1
    return line


def lines_of(tree: Tree, path: Path, locations: Iterable[tuple[int | str, ...]]) -> list[int | None]:
    """The lines of what is at these keys and indices in a file that was read; if it is not there, of what is above."""
    node = _compose(tree, path, tree.read_text(path))
    return [None if node is None else _line(node, location) for location in locations]


def line_with(tree: Tree, path: Path, key: str | None, value: str) -> int | None:
    """The first line in a file that was read where `key` has this value; None for `key`: any, or an item of a list."""
    left = [_compose(tree, path, tree.read_text(path))]
    found = []
    while left:
        match left.pop():
            case yaml.MappingNode() as node:
                found += [one.start_mark.line for one, other in node.value if key == one.value and other.value == value]
                left += [other for _, other in node.value]
            case yaml.SequenceNode() as node:
                left += node.value
            case yaml.ScalarNode() as node if key is None and node.value == value:
                found.append(node.start_mark.line)
    return min(found) + 1 if found else None
