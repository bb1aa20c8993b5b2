"""Constants of problem.yaml: each `{{name}}` of one of them stands for its value (2025-09, "Constants") in Markdown
statements, validators, included code, example submissions and test_group.yaml. Other `{{names}}` stay."""

from __future__ import annotations

import re

from problems.errors import ProblemError

#: As the model keeps them: names and values.
Constants = tuple[tuple[str, str], ...]

#: The most that a text may grow to.
MOST_BYTES = 4 << 20

_SEQUENCE = re.compile(rb"\{\{(\w+)\}\}")


def substituted(text: bytes, constants: Constants, where: str) -> bytes:
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
