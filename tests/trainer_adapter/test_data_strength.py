"""`judge-train data inspect --strength`: how many problems of a data set accept a program that is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judge.common.rates import wilson
from trainer_adapter.commands import main
from trainer_adapter.data.references import RIGHT, WRONG, programs

LARGER = "a, b = map(int, input().split())\nprint(b if a < b else a)\n"
OTHER = "print(max(map(int, input().split())))\n"
FIRST = "a, b = map(int, input().split())\nprint(a)\n"
#: As TACO and APPS have it: JSON in texts. The second number is never the larger one.
WEAK = {"inputs": ["5 2\n", "7 3\n"], "outputs": ["5\n", "7\n"]}
STRONG = {
    "inputs": ["5 2\n", "2 7\n", "0 0\n", "-3 -9\n", "-9 -3\n", "1 2\n", "2 1\n"],
    "outputs": ["5\n", "7\n", "0\n", "-3\n", "-3\n", "2\n", "2\n"],
}


def row(title: str, tests: dict[str, Any], *solutions: str, **columns: Any) -> dict[str, Any]:
    question = f"{title}: print the larger one of two integers in a line."
    return {"question": question, "input_output": json.dumps(tests), "solutions": json.dumps(solutions), **columns}


def inspected(path: Path, rows: list[dict[str, Any]], capsys: pytest.CaptureFixture[str], *more: str) -> Any:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    assert main.main(["data", "inspect", str(path), *more]) == 0
    return capsys.readouterr().out


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, shared_cache: Path) -> None:
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(shared_cache))


def test_weak_problems_are_counted_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        row("Weak", WEAK, LARGER, OTHER),
        row("Strong", STRONG, LARGER, OTHER),
        row("Bare", WEAK),
        row("Refused", WEAK, FIRST.replace("print(a)", "print(b)")),
        row("Alone", WEAK, LARGER),
    ]
    found = json.loads(inspected(tmp_path / "rows.jsonl", rows, capsys, "--strength", "9", "--json"))["strength"]
    assert (found["sampled"], found["measured"], found["weak"], found["share"]) == (5, 2, 1, 0.5)
    assert found["undecided"] == 1  # "Alone": between none and all of these are weak
    assert found["share_low"] < wilson(1, 2)[0] and found["share_high"] > wilson(1, 2)[1]
    assert found["killed"] < found["mutants"]
    assert set(found["unmeasured"].values()) == {1} and len(found["unmeasured"]) == 3
    assert "the row has no reference solution" in found["unmeasured"]
    assert "the tests refuse its reference solution" in found["unmeasured"]
    (example,) = found["examples"]
    assert example["what"].endswith("passes all tests and is wrong on") and example["text"]


def test_inputs_that_no_test_resembles_accuse_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Below 1 the references agree on something that nobody asks for, and mutants differ."""
    tests = {"inputs": ["1\n", "5\n", "10\n", "30\n"], "outputs": ["1\n", "15\n", "55\n", "465\n"]}
    gauss = "n = int(input())\nprint(n * (n + 1) // 2 if n >= 0 else 0)\n"
    rows = [row("Positive", tests, gauss, "n = int(input())\nprint(sum(range(n + 1)) if n >= 0 else 0)\n")]
    found = json.loads(inspected(tmp_path / "rows.jsonl", rows, capsys, "--strength", "1", "--json"))["strength"]
    assert (found["measured"], found["weak"]) == (1, 0) and found["killed"] == found["mutants"] > 5


def test_programs_that_a_row_calls_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = {"language": [1, 3], "solution": ["print 1", FIRST]}
    rows = [row("Weak", WEAK, OTHER, incorrect_solutions=wrong)]
    said = inspected(tmp_path / "rows.jsonl", rows, capsys, "--strength", "1")
    assert "1 of 1 problems accept a program that is wrong: 100% (21% to 100%)" in said
    assert "1 of 1 programs that the row calls wrong are accepted" in said


def test_a_data_set_without_references_is_told_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{name: value for name, value in row(f"Bare {i}", WEAK).items() if name != "solutions"} for i in range(6)]
    said = inspected(tmp_path / "rows.jsonl", rows, capsys, "--strength", "3")
    assert "0 of 3 sampled problems measured" in said
    assert "no sampled problem has reference solutions" in said


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (None, []),
        ("", []),
        ("print(1)", [("python3", "print(1)")]),
        ('["print(1)", "#include <cstdio>"]', [("python3", "print(1)"), ("cpp17", "#include <cstdio>")]),
        ("[1, 2]", []),
        ("[print(1)]", [("python3", "[print(1)]")]),
        ("Text\n```python\nprint(1)\n```\n", [("python3", "print(1)\n")]),
        ([{"language": "python", "code": "x"}, {"language": "no such", "code": "y"}], [("python3", "x")]),
        ({"language": [2, 1, 3], "solution": ["a", "b", "c"]}, [("cpp17", "a"), ("python3", "c")]),
        ([[[[["deep"]]]]], []),
        (7, []),
    ],
)
def test_the_forms_that_programs_have(value: Any, found: list[tuple[str, str]]) -> None:
    assert [(language, code.rstrip("\n")) for language, code in programs({"solution": value}, RIGHT, 9)] == [
        (language, code.rstrip("\n")) for language, code in found
    ]


def test_no_more_programs_than_asked_for() -> None:
    assert len(programs({"solutions": ["a", "b", "b", "c"]}, RIGHT, 2)) == 2
    assert programs({"solutions": ["a"]}, WRONG, 2) == []
