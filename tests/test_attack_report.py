"""scripts/attack_report.py: what is not contained is in the report, and is its exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts/attack_report.py"
GOOD = {
    "attack": "leaks/a.c",
    "tries": "to read | to write",
    "variant": "native/full",
    "root": True,
    "result": "held",
    "termination": "exited",
    "found": [],
    "side_effects": [],
}
BENIGN = {"benign": "b.c", "shows": "mmap", "variant": "native/userns", "root": False, "verdict": "AC"}


def made(tmp_path: Path, *records: dict[str, object]) -> tuple[int, str]:
    record = tmp_path / "record.jsonl"
    record.write_text("".join(json.dumps(each) + "\n" for each in records))
    done = subprocess.run((sys.executable, SCRIPT, record), check=False, capture_output=True, text=True)
    return done.returncode, done.stdout


def test_all_contained(tmp_path: Path) -> None:
    status, text = made(tmp_path, GOOD, {"attack": "leaks/a.c", "control": "works", "root": True}, BENIGN)
    assert status == 0
    assert "| a.c | to read \\| to write | works | held |" in text
    assert "| b.c | mmap | AC |" in text
    assert "wrong" not in text


@pytest.mark.parametrize(
    "change",
    [
        GOOD | {"found": ["ESCAPED open"]},
        GOOD | {"side_effects": ["the neighbour died"]},
        BENIGN | {"verdict": "RE"},
        {"attack": "leaks/a.c", "control": "DOES NOT WORK", "root": True},
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, change: dict[str, object]) -> None:
    # A later run of the same test does not take it back.
    status, text = made(tmp_path, change, GOOD, BENIGN)
    assert status == 1
    assert "## What went wrong" in text
