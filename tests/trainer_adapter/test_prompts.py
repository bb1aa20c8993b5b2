"""What the model is asked contradicts itself nowhere."""

from __future__ import annotations

import json
from pathlib import Path

from trainer_adapter.data.build import examples
from trainer_adapter.data.config import DataConfig
from trainer_adapter.data.report import Report


def asked(directory: Path, solution: str, **tests: object) -> str:
    row = {
        "problem_id": "1",
        "question": "Add two numbers.",
        "solutions": json.dumps([solution]),
        "input_output": json.dumps(tests),
        "difficulty": "interview",
        "url": "",
        "starter_code": "",
    }
    path = directory / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n")
    config = DataConfig(source=str(path), language="python3")
    (example,) = examples(config, Report(source=str(path)), None)
    return "\n".join(str(message["content"]) for message in example.prompt)


def test_a_function_problem_asks_for_no_standard_input(tmp_path: Path) -> None:
    text = asked(tmp_path, "def add(a, b): return a + b", fn_name="add", inputs=[[1, 2], [5, 6]], outputs=[3, 11])
    assert "read no input" in text and "standard input" not in text
    assert "```python" in text


def test_a_program_is_asked_to_read_standard_input(tmp_path: Path) -> None:
    text = asked(tmp_path, "print(sum(map(int, input().split())))", inputs=["1 2\n", "5 6\n"], outputs=["3\n", "11\n"])
    assert "standard input" in text and "read no input" not in text
