"""Random neighbours of the arguments of functions, and of commands of generators."""

from __future__ import annotations

import json
import random
import re
from itertools import islice
from pathlib import Path

import pytest

from problems.model import GeneratedCase
from problems.strength import calls, commands
from problems.strength.inputs import MOST_BYTES


@pytest.mark.parametrize(
    "given", [b"[1, 2, 3]\n7\n", b'"abc"\ntrue\n', b'[[1, 5], ["x"], null]\n{"a": [1]}\n', b"2.5\n"]
)
def test_neighbours_are_json_of_as_many_lines(given: bytes) -> None:
    chance = random.Random(1)
    found = {calls.vary(given, chance) for _ in range(200)}
    assert len(found) > 3
    for one in found:
        assert len([json.loads(line) for line in one.splitlines()]) == given.count(b"\n")


@pytest.mark.parametrize("given", [b"", b"no json\n", b"[" * 5000, b"\xff\n", b"1 2\n"])
def test_what_is_no_json_stays(given: bytes) -> None:
    assert calls.vary(given, random.Random(1)) == given
    assert calls.smaller(given) == []


def test_smaller_arguments() -> None:
    found = calls.smaller(b'[5, 6]\n"ab"\n')
    assert {b'[6]\n"ab"\n', b'[5, 6]\n"a"\n', b'[0, 6]\n"ab"\n'} <= set(found)


def test_depth_is_bounded() -> None:
    deep = b"[" * 500 + b"1" + b"]" * 500 + b"\n"
    assert len(calls.smaller(deep)) < 100
    assert len(calls.vary(deep, random.Random(1))) < 2 * MOST_BYTES


def case(generator: Path, *arguments: str) -> GeneratedCase:
    return GeneratedCase(name="secret/1", group="secret", generator=generator, arguments=arguments)


def test_commands_are_small_and_choose_among_the_words(tmp_path: Path) -> None:
    generator = tmp_path / "gen.py"
    generator.write_text('"""gen.py n=… seed=… [shape=random|chain|star]"""\n')
    cases = [case(generator, "n=500000", "seed=7", "low=-3"), case(generator, "n=9", "seed=8", "shape=random")]
    found = [
        dict(one.split("=") for one in arguments)
        for _, arguments in islice(commands.small(cases, random.Random(1)), 200)
    ]
    assert all(int(one["n"]) <= 10 for one in found)
    assert {one.get("shape") for one in found} == {None, "random", "chain", "star"}
    assert len({one["seed"] for one in found}) > 150
    assert {one["low"] for one in found if "low" in one} >= {"-3"}


def test_bare_arguments_and_no_commands(tmp_path: Path) -> None:
    found = list(islice(commands.small([case(tmp_path / "gone.py", "100000", "max")], random.Random(1)), 50))
    assert all(int(number) <= 10 and word == "max" for _, (number, word) in found)
    assert list(commands.small([], random.Random(1))) == []


def test_commands_with_another_seed_stay_as_large(tmp_path: Path) -> None:
    cases = [case(tmp_path / "gen.py", "n=100000", "seed=5"), case(tmp_path / "gen.py", "100000", "max")]
    (found,) = commands.reseed(cases, random.Random(1))
    assert found[1][0] == "n=100000" and re.fullmatch(r"seed=[0-9]+", found[1][1]) and found[1][1] != "seed=5"
