"""Constants of problem.yaml: each `{{name}}` of one of them stands for its value (2025-09, "Constants") in Markdown
statements, validators, included code, example submissions and test_group.yaml. Other `{{names}}` stay. A constant may
be a map: `{{name}}` stands for its `value`, `{{name.variant}}` for another entry."""

from __future__ import annotations

import re
from collections.abc import Mapping

from problems.errors import ProblemError

#: As the model keeps them: names and values.
Constants = tuple[tuple[str, str], ...]

#: The most that a text may grow to.
MOST_BYTES = 4 << 20

_SEQUENCE = re.compile(rb"\{\{([\w-]+(?:\.[\w-]+)?)\}\}")

#: The variant that a name without one stands for.
_PLAIN = "value"


def constants_of(stated: Mapping[str, str | Mapping[str, str]]) -> Constants:
    """Constants from what problem.yaml states: values, or maps of variants."""
    found = []
    for name, value in stated.items():
        if isinstance(value, str):
            found.append((name, value))
        else:
            found.append((name, value[_PLAIN]))
            found += [(f"{name}.{key}", text) for key, text in value.items() if key != _PLAIN]
    return tuple(found)


def read_stated(constants: Constants) -> dict[str, str | dict[str, str]]:
    """What `constants_of` made them from."""
    found: dict[str, str | dict[str, str]] = {}
    for full, text in constants:
        name, _, variant = full.partition(".")
        if not variant:
            found[name] = text
        else:
            known = found[name]
            variants = known if isinstance(known, dict) else {_PLAIN: known}
            found[name] = variants | {variant: text}
    return found


def substitute(text: bytes, constants: Constants, where: str) -> bytes:
    """
    Raises:
        ProblemError: with its constants the text named by `where` is too large.
    """
    if not constants:
        return text
    values = {name.encode(): value.encode() for name, value in constants}
    grown = sum(len(values.get(match[1], b"")) for match in _SEQUENCE.finditer(text))
    if grown and len(text) + grown > MOST_BYTES:
        raise ProblemError(f"{where}: is larger than {MOST_BYTES >> 20} MiB with its constants; use shorter ones")
    return _SEQUENCE.sub(lambda match: values.get(match[1], match[0]), text)
