"""Adds a case to the text of generators/generators.yaml, and leaves everything else as it stands: comments, order, line
ends."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
#: A command that YAML reads as it stands.
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*( [A-Za-z0-9_./=+-]+)*")
_LEADS = re.compile(r" *(- +)?")


def with_recipe(text: str, name: str, command: str) -> str | None:
    """The text with the case `name` ("secret/3/05-stress") on a new line after the last case of its directory. None:
    there is none, or it does not stand on a line of its own."""
    directory, _, stem = name.rpartition("/")
    root = yaml.compose(text, Loader=_LOADER)
    last = None
    for place, key, value in _entries(root, ()):
        if "/".join(place[:-1]) == directory:
            last = key, value
    if last is None:
        return None
    key, value = last
    start = text.rfind("\n", 0, key.start_mark.index) + 1
    lead = text[start : key.start_mark.index]
    stop = text.find("\n", value.end_mark.index) + 1 or len(text)
    line = text[start:stop]
    rest = text[value.end_mark.index : stop].partition("#")[0]
    if not _LEADS.fullmatch(lead) or "\n" in line.rstrip() or rest.strip():
        return None
    prefix, sign, _ = key.value.rpartition("/")
    entry = command if _PLAIN.fullmatch(command) else json.dumps(command, ensure_ascii=False)
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if line.endswith("\n") else end
    return f'{text[:stop]}{gap}{lead}"{prefix}{sign}{stem}": {entry}{end}{text[stop:]}'


def _entries(node: yaml.Node | None, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], yaml.Node, yaml.Node]]:
    """The cases as `problems.reading.generated` finds them: their place, key and command."""
    for key, value in _pairs(child(node, "data") if node is not None else None):
        here = (*place, *key.value.split("/"))
        if isinstance(value, yaml.MappingNode) and (child(value, "data") is not None or len(here) == 1):
            yield from _entries(value, here)
        elif isinstance(value, yaml.ScalarNode):
            yield here, key, value


def _pairs(node: yaml.Node | None) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    for one in node.value if isinstance(node, yaml.SequenceNode) else [node]:
        if isinstance(one, yaml.MappingNode):
            yield from one.value


def child(node: yaml.Node, name: str) -> yaml.Node | None:
    """The value of a key of a map."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return next((value for key, value in pairs if key.value == name), None)
