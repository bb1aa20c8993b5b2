"""Our own files are read strictly, and errors name the file and the key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from judge.common.errors import ConfigError
from judge.common.strict import build


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    pairs: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    name: str
    factor: float = 1.0
    kind: Literal["a", "b"] = "a"
    part: Part = Part()


def test_all_types() -> None:
    data = {"name": "x", "factor": 2, "kind": "b", "part": {"pairs": [["one", 1], ["two", 2]]}}
    assert build(Whole, data, "x.toml") == Whole(
        name="x", factor=2.0, kind="b", part=Part(pairs=(("one", 1), ("two", 2)))
    )
    assert build(Whole, {"name": "x"}, "x.toml") == Whole(name="x")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], r"^x\.toml: must be a table, not \[\]$"),
        ({}, r"^x\.toml: key 'name' is missing$"),
        ({"name": "x", "nmae": "y"}, r"^x\.toml: unknown key 'nmae'; known are name, factor, kind, part$"),
        ({"name": 1}, r"^x\.toml: name: must be str, not 1$"),
        ({"name": None}, r"^x\.toml: name: must be str, not None$"),
        ({"name": "x", "factor": True}, r"^x\.toml: factor: must be float, not True$"),
        ({"name": "x", "factor": "1"}, r"^x\.toml: factor: must be float, not '1'$"),
        ({"name": "x", "kind": "c"}, r"^x\.toml: kind: must be .*'a', 'b'.*, not 'c'$"),
        ({"name": "x", "kind": []}, r"^x\.toml: kind: must be "),
        ({"name": "x", "part": {"pairs": "ab"}}, r"^x\.toml: part: pairs: must be tuple\["),
        (
            {"name": "x", "part": {"pairs": [["one"]]}},
            r"^x\.toml: part: pairs: must be tuple\[str, int\], not \['one'\]$",
        ),
        ({"name": "x", "part": {"pairs": [["one", True]]}}, r"^x\.toml: part: pairs: must be int, not True$"),
        ({"name": "x", "part": {"pair": []}}, r"^x\.toml: part: unknown key 'pair'"),
    ],
)
def test_refused(data: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        build(Whole, data, "x.toml")
