"""Random neighbours of the arguments of a function: each line of such an input is a value as JSON."""

from __future__ import annotations

import json
import random
from typing import Any

_SMALL = 6
_MOST_DEPTH = 40


def vary(data: bytes, chance: random.Random) -> bytes:
    """The arguments with a few values changed. What is no JSON comes back as it is."""
    try:
        values = [json.loads(line) for line in data.splitlines()]
    except (ValueError, RecursionError):
        return data
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(values)) if values else None
        if at is not None:
            values[at] = _change(values[at], values, chance, 0)
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def _change(value: Any, all_: list[Any], chance: random.Random, depth: int) -> Any:
    match value:
        case bool():
            return not value
        case int():
            near = (value - 1, value + 1, -value, value // 2, value * 2, chance.randint(-_SMALL, _SMALL))
            return chance.choice((*near, *(one for one in all_ if type(one) is int)))
        case float():
            return chance.choice((value + 0.5, -value, value / 2, float(chance.randint(-_SMALL, _SMALL))))
        case str():
            return _text(value, chance)
        case list():
            return _list(value, all_, chance, depth)
        case dict() if value:
            key = chance.choice(sorted(value))
            return value | {key: _change(value[key], all_, chance, depth + 1)}
        case _:
            return value


def _text(value: str, chance: random.Random) -> str:
    if not value:
        return value
    at, letter = chance.randrange(len(value)), chance.choice(value)
    return chance.choice(
        (value[:at] + value[at + 1 :], value[:at] + letter + value[at:], value[:at] + letter + value[at + 1 :])
    )


def _list(value: list[Any], all_: list[Any], chance: random.Random, depth: int) -> list[Any]:
    found = list(value)
    if not found:
        # What a list holds is told by the other arguments at best.
        found.append(chance.choice([one for one in all_ if not isinstance(one, list)] or [0]))
        return found
    at = chance.randrange(len(found))
    kind = chance.randrange(7)
    if kind == 0:
        del found[at]
    elif kind == 1:
        found.insert(at, found[chance.randrange(len(found))])
    elif kind == 2:
        found[at] = found[chance.randrange(len(found))]
    elif kind == 3:
        del found[chance.randrange(len(found)) :]
    elif kind == 4 and all(type(one) is int for one in found):
        return [chance.randint(-_SMALL, _SMALL) for _ in range(chance.randint(1, _SMALL))]
    elif depth < _MOST_DEPTH:
        found[at] = _change(found[at], found, chance, depth + 1)
    return found


def smaller(data: bytes) -> list[bytes]:
    """The arguments with one value a step smaller: a list or text that lacks one, a number nearer to 0."""
    try:
        values = [json.loads(line) for line in data.splitlines()]
    except (ValueError, RecursionError):
        return []
    found = []
    for at, value in enumerate(values):
        for less in _less(value, 0):
            changed = [*values[:at], less, *values[at + 1 :]]
            found.append(b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in changed))
    return found


def _less(value: Any, depth: int) -> list[Any]:
    match value:
        case bool():
            return []
        case int() if value:
            return [
                less
                for less in dict.fromkeys((0, 1, int(value / 2), value - (1 if value > 0 else -1)))
                if abs(less) < abs(value)
            ]
        case str():
            return [value[:at] + value[at + 1 :] for at in range(len(value))]
        case list():
            shorter = [value[:at] + value[at + 1 :] for at in range(len(value))]
            if depth < _MOST_DEPTH:
                shorter += [
                    [*value[:at], less, *value[at + 1 :]]
                    for at, one in enumerate(value)
                    for less in _less(one, depth + 1)
                ]
            return shorter
        case _:
            return []
