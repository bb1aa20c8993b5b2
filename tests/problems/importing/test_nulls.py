"""Each key, and each entry of a list, of each example is null: what is told is in our words, with file and line."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml

from problems.importing.keys import line_of_value
from tests.problems.importing.test_misspelt import _JUDGED, _imported

_JSON, _YAML = (".json", ".cdf"), (".yaml", ".yml")
#: Words of pydantic's, and of Python's.
_FOREIGN = re.compile(
    r"Input should|Field required|instance of|valid (?:dictionary|string|integer|list)|should have|\bNone\b"
)
_NULL = re.compile(r":\d+: (?P<key>[^ ]+): is null; write (?:text|a |true|')")


def _places(data: object, above: tuple[int | str, ...] = ()) -> Iterator[tuple[int | str, ...]]:
    items: Iterator[tuple[Any, object]] = iter(())
    if isinstance(data, (dict, list)):
        items = iter(data.items() if isinstance(data, dict) else enumerate(data))
    for key, value in items:
        yield (*above, key)
        yield from _places(value, (*above, key))


def _with_null(data: Any, place: tuple[int | str, ...]) -> Any:
    made = copy.deepcopy(data)
    inner = made
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = None
    return made


def _variants() -> Iterator[tuple[str, str]]:
    for name, files in _JUDGED.items():
        yield from ((name, file) for file in files if PurePosixPath(file).suffix in _JSON + _YAML)


@pytest.mark.parametrize(("name", "file"), list(_variants()))
def test_a_null_is_told_in_our_words(tmp_path: Path, name: str, file: str) -> None:
    text = _JUDGED[name][file]
    assert isinstance(text, str)
    is_json = PurePosixPath(file).suffix in _JSON
    data = json.loads(text) if is_json else yaml.safe_load(text)
    for number, place in enumerate(_places(data)):
        nulled = _with_null(data, place)
        made = json.dumps(nulled, indent=1) if is_json else yaml.safe_dump(nulled, sort_keys=False)
        for one in _imported(tmp_path / str(number), {**_JUDGED[name], file: made}, lenient=False):
            if one.error is None:
                continue
            assert not _FOREIGN.search(one.error), one.error
            assert "; " in one.error, f"it says what to do: {one.error}"
            if (told := _NULL.search(one.error)) is not None:
                assert file in one.error
                assert told["key"] == ".".join(map(str, place))
            else:
                assert "is null" not in one.error


@pytest.mark.parametrize(
    ("name", "file", "key", "says"),
    [
        ("qduoj", "1/problem.json", '"title": "', "problem.json:1: title: is null; write text"),
        (
            "omegaup",
            "settings.json",
            '"Weight": 0.6',
            "settings.json:1: Cases.1.Cases.0.Weight: is null; write a number",
        ),
        ("luogu", "config.yml", "timeLimit", "config.yml:1: 1.in: is null; write a map of keys"),
        ("syzoj", "data.yml", "score", "data.yml:2: subtasks.0.score: is null; write a number"),
        ("hydro", "sum/testdata/config.yaml", "if", "config.yaml:4: subtasks.1.if.0: is 'x'; write a whole number"),
        ("hydro", "sum/testdata/config.yaml", "needs", "config.yaml:3: key 'subtasks.needs' is unknown here"),
        ("tps", "solutions.json", "max.py", "solutions.json:1: max.py: is null; write a map of keys"),
    ],
)
def test_nulls_by_name(tmp_path: Path, name: str, file: str, key: str, says: str) -> None:
    text = str(_JUDGED[name][file])
    match key:
        case "timeLimit":
            text = "1.in:\n"
        case "max.py":
            text = '{"max.py": null}'
        case "score":
            text = re.sub(r"score: *[0-9]+", "score: null", text, count=1)
        case "if":
            text = "subtasks:\n- {cases: [{input: 1.in, output: 1.out}]}\n- cases: [{input: 2.in}]\n  if: [x]\n"
        case "needs":
            text = "subtasks:\n- cases: [{input: 1.in, output: 1.out}]\n  needs: [1]\n"
        case _:
            text = re.sub(rf"({re.escape(key.partition(':')[0])}): (?:\"[^\"]*\"|0\.6)", r"\1: null", text, count=1)
    found = _imported(tmp_path, {**_JUDGED[name], file: text}, lenient=False)
    assert any(says in (one.error or "") for one in found), [one.error for one in found]


@pytest.mark.parametrize(
    ("place", "line"),
    [(("a",), 2), (("a", 0, "b"), 3), (("a", 1), 4), (("a", 1, "b"), 4), (("c", "x,y"), 7), (("C",), 6), (("z",), 1)],
)
def test_a_value_of_json_has_a_line(place: tuple[int | str, ...], line: int) -> None:
    text = '{\n"a": [\n{"b": "}\\"\\\\"},\n{"b": [1, [2, {"b": 3}]]}\n],\n"c": {\n"x,y": null}}\n'
    assert line_of_value(text, place) == line
