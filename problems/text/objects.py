"""Objects of JSON whose keys differ: of a key that is given twice Python takes the last value, without a word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class KeyTwice(ValueError):
    """A key is given twice; it says which."""


def make_once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The map of these keys: an `object_pairs_hook`.

    Raises:
        KeyTwice: one is there twice.
    """
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise KeyTwice(f"key {key[:60]!r} is given twice")
        made[key] = value
    return made
