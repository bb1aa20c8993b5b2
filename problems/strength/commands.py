"""Commands of a package's generators with small parameters or other seeds, made of those in generators/generators.yaml.

A parameter is `key=value` or a bare value. A number becomes a small one, or keeps its value if it is small. `seed` gets
any number. A text becomes another one that stands at the same key, also in the generator's own words
(`shape=random|chain|star`).
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from problems.model import GeneratedCase

Command = tuple[Path, tuple[str, ...]]

_NUMBER = re.compile(r"-?[0-9]{1,19}")
_CHOICE = re.compile(r"\b(\w{1,30})=((?:[\w-]{1,30}\|){1,20}[\w-]{1,30})")
_SMALL = (1, 2, 3, 4, 5, 6, 8, 10)
_MOST_SOURCE_BYTES = 100_000


def small(cases: Sequence[GeneratedCase], chance: random.Random) -> Iterator[Command]:
    """Random commands without end. A generator may refuse one, or make an invalid input of it."""
    commands = _commands(cases)
    if not commands:
        return
    texts: dict[str, set[str]] = defaultdict(set)
    for _, given in commands:
        for at, argument in enumerate(given):
            key, value = _split(at, argument)
            texts[key].add(value)
    for path in {path for path, _ in commands}:
        source = path.read_text(errors="replace")[:_MOST_SOURCE_BYTES] if path.is_file() else ""
        for key, values in _CHOICE.findall(source):
            texts[key].update(values.split("|"))
    while True:
        path, given = chance.choice(commands)
        size = chance.choice(_SMALL)
        arguments = [_small(at, argument, size, texts, chance) for at, argument in enumerate(given)]
        known = {_split(at, argument)[0] for at, argument in enumerate(given)}
        arguments += [
            f"{key}={chance.choice(sorted(values))}"
            for key, values in sorted(texts.items())
            if key not in known
            and not key.startswith("#")
            and not any(map(_NUMBER.fullmatch, values))
            and chance.random() < 0.5
        ]
        yield path, tuple(arguments)


def reseed(cases: Sequence[GeneratedCase], chance: random.Random) -> list[Command]:
    """The commands as they stand, each with another seed. Those without a seed make nothing new, and are left out."""
    found = []
    for path, given in _commands(cases):
        arguments = [
            f"{key}={chance.randrange(10**6)}" if "seed" in (key := _split(at, argument)[0]) else argument
            for at, argument in enumerate(given)
        ]
        if arguments != list(given):
            found.append((path, tuple(arguments)))
    return found


def _commands(cases: Sequence[GeneratedCase]) -> list[Command]:
    return [(case.generator, case.arguments) for case in cases if case.generator is not None]


def _split(at: int, argument: str) -> tuple[str, str]:
    key, sign, value = argument.partition("=")
    return (key, value) if sign else (f"#{at}", argument)


def _small(at: int, argument: str, size: int, texts: dict[str, set[str]], chance: random.Random) -> str:
    key, value = _split(at, argument)
    if "seed" in key:
        value = str(chance.randrange(10**6))
    elif _NUMBER.fullmatch(value):
        if abs(int(value)) > size:
            value = str(chance.choice((size, max(1, size // 2), chance.randint(1, size), 1)))
    elif texts[key]:
        value = chance.choice(sorted(texts[key]))
    return value if key.startswith("#") else f"{key}={value}"
