"""`judge-train ask`: questions of one's own, and those of a data set with answers."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.trainer_adapter.endpoint import serve
from trainer_adapter.commands.main import main


def answer(request: dict[str, Any]) -> tuple[int, str]:
    """Adds the numbers of the question, wrongly if it says so, and refuses some questions."""
    question = request["messages"][-1]["content"]
    if "refuse" in question:
        return 400, "no"
    numbers = [int(word) for word in question.split() if word.isdigit()]
    return 200, f"<reasoning>So</reasoning>\n<answer>\\boxed{{{sum(numbers) + ('wrongly' in question)}}}</answer>"


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "gsm8k.jsonl"
    asked = [(f"add {n} and 2{' wrongly' * (n % 4 == 0)}", f"Thus\n#### {n + 2}") for n in range(8)]
    path.write_text("".join(json.dumps({"question": text, "answer": right}) + "\n" for text, right in asked))
    return path


def test_questions_are_answered(capsys: pytest.CaptureFixture[str]) -> None:
    with serve(answer) as endpoint:
        asked = ["ask", "--endpoint", endpoint.url, "--model", "m", "add 3 and 4", "add 1 and 1"]
        assert main(asked) == 0
        assert {request["temperature"] for request in endpoint.requests} == {0}
    said = capsys.readouterr().out
    assert "> add 3 and 4\n<reasoning>So" in said
    assert sorted(line for line in said.splitlines() if line.startswith("answer: ")) == ["answer: 2", "answer: 7"]


def test_questions_come_from_stdin(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"add 5 and 5\n\n")))
    with serve(answer) as endpoint:
        assert main(["ask", "--endpoint", endpoint.url, "--model", "m"]) == 0
    assert "answer: 10\n" in capsys.readouterr().out


def test_rows_are_scored(rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "answers.jsonl"
    with serve(answer) as endpoint:
        asked = ["ask", "--endpoint", endpoint.url, "--model", "m", "--data", str(rows), "--rows", "-o", str(kept)]
        assert main(asked) == 0
    assert capsys.readouterr().out == "6 of 8 right: 75.0 % (40.9 to 92.9)\n"
    found = [json.loads(line) for line in kept.read_text().splitlines()]
    assert sum(row["correct"] for row in found) == 6
    assert {row["question"] for row in found if not row["correct"]} == {"add 0 and 2 wrongly", "add 4 and 2 wrongly"}


def test_a_question_without_an_answer_is_not_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = tmp_path / "rows.jsonl"
    texts = ("add 1 and 2", "refuse 1 and 2")
    rows.write_text("".join(json.dumps({"question": text, "answer": "#### 3"}) + "\n" for text in texts))
    with serve(answer) as endpoint:
        assert main(["ask", "--endpoint", endpoint.url, "--model", "m", "--data", str(rows), "--rows"]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("1 of 1 right: 100.0 %")
    assert "1 questions got no answer" in said.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--rows", "why?"], "leave out your own"),
        (["--rows", "--only", "P1001"], "these rows have no answers"),
        ([], "no question"),
    ],
)
def test_what_cannot_be_asked(
    more: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    assert main(["ask", "--endpoint", "http://127.0.0.1:9/v1", "--model", "m", *more]) == 2
    assert said in capsys.readouterr().err
