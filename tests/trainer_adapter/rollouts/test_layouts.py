"""The readers of ms-swift and LLaMA-Factory take the rows that are written for them; where those are installed."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.trainer_adapter.integrations.conftest import package_of
from tests.trainer_adapter.rollouts.judged import PROGRAM, rollout
from trainer_adapter.commands.main import main

#: For dataset_info.json, as docs/selection.md gives it.
TAGS = {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"}


def write_rows(command: str, layout: str, directory: Path) -> Path:
    rows = [rollout("P", 0, "AC", prompt="?"), rollout("P", 1, "WA", prompt="?")]
    (directory / "rows.jsonl").write_text("".join(row.line() for row in rows))
    target = directory / "out.jsonl"
    assert main([command, str(directory / "rows.jsonl"), "-o", str(target), "--format", layout]) == 0
    return target


@pytest.mark.parametrize("command", ["rft", "pairs"])
def test_ms_swift(command: str, tmp_path: Path) -> None:
    load = package_of("swift.dataset").load_dataset
    data, _ = load([str(write_rows(command, "swift", tmp_path))], strict=True)
    (row,) = data
    assert [each["content"] for each in row["messages"]] == ["?", PROGRAM.format(0)]
    if command == "pairs":
        assert row["rejected_response"] == PROGRAM.format(1)


@pytest.mark.parametrize("command", ["rft", "pairs"])
def test_llama_factory(command: str, tmp_path: Path) -> None:
    converter, parser = package_of("llamafactory.data.converter"), package_of("llamafactory.data.parser")
    columns = {"messages": "messages"} | ({"chosen": "chosen", "rejected": "rejected"} if command == "pairs" else {})
    stated = {"formatting": "sharegpt", "ranking": command == "pairs", "columns": columns, "tags": TAGS}
    attributes = parser.DatasetAttr("file", "judged")
    attributes.join(stated)
    row: Any = json.loads(write_rows(command, "llama-factory", tmp_path).read_text())
    found = converter.SharegptDatasetConverter(attributes, SimpleNamespace())(row)
    assert [each["content"] for each in found["_prompt"]] == ["?"]
    expected = [PROGRAM.format(number) for number in range(2 if command == "pairs" else 1)]
    assert [each["content"] for each in found["_response"]] == expected
