"""`judge-train data inspect --checkers`: which problems of a data set need a checker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trainer_adapter.commands import main

READ = "n = int(input())\n"
UP = READ + "print(*range(n))\n"
DOWN = READ + "print(*range(n)[::-1])\n"
TESTS = {"inputs": ["2\n", "3\n"], "outputs": ["0 1\n", "0 1 2\n"]}


def row(name: str, question: str, tests: dict[str, Any], *solutions: str) -> dict[str, Any]:
    return {
        "question": f"{name}: {question}",
        "input_output": json.dumps(tests),
        "solutions": json.dumps(solutions),
        "url": name,
    }


ROWS = [
    row("plain", "print the numbers below n.", TESTS, UP, UP.replace("*range(n)", "*list(range(n))")),
    row("differ", "print the numbers below n.", TESTS, UP, DOWN),
    row("crash", "print the numbers below n.", TESTS, UP, READ + "1 / 0\n"),
    row("order", "print the numbers below n in any order.", TESTS, UP),
    row("two", "print a number.", {"inputs": ["1\n", "1\n", "2\n"], "outputs": ["3\n", "4\n", "5\n"]}),
    row("decimal", "print a half of n.", {"inputs": ["1\n", "2\n"], "outputs": ["0.5\n", "1.0\n"]}),
]


def test_rows_are_listed_with_their_reasons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, shared_cache: Path
) -> None:
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(shared_cache))
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in ROWS))
    assert main.main(["data", "inspect", str(path), "--references", "ignore", "--checkers", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["checkers"]
    assert (found["problems"], found["compared"]) == (len(ROWS), 3)
    reasons = found["needs"]
    assert {name: why[0].split(",")[0] for name, why in reasons.items()} == {
        "differ": "right programs differ: the tests take what one writes",
        "order": "accepts any order",
        "two": "one input has two answers",
        "decimal": "answers are decimal numbers",
    }
    assert all(len(why) == 1 for why in reasons.values())
    assert main.main(["data", "inspect", str(path), "--references", "ignore", "--checkers", "--most-rows", "1"]) == 0
    assert "checkers: 0 of 1 problems need one" in capsys.readouterr().out
