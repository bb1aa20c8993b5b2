"""The pages of pitfalls from the field: each names a test that is there, and both say the same."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOT_COVERED = ("Not covered", "不涉及")


def rows(page: str) -> list[list[str]]:
    """Run, pitfall, what is done, test."""
    lines = (ROOT / "docs" / page).read_text("utf-8").splitlines()
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return table[2:]


ENGLISH, CHINESE = rows("field-notes.md"), rows("field-notes.zh-CN.md")


def test_both_pages_have_the_same_rows() -> None:
    assert [row[-1] for row in ENGLISH] == [row[-1] for row in CHINESE]
    names = dict(zip((row[0] for row in ENGLISH), (row[0] for row in CHINESE), strict=True))
    assert [names[row[0]] for row in ENGLISH] == [row[0] for row in CHINESE], "the same runs, in the same order"
    for english, chinese in zip(ENGLISH, CHINESE, strict=True):
        assert (NOT_COVERED[0] in english[2]) == (NOT_COVERED[1] in chinese[2]), english


@pytest.mark.parametrize("row", ENGLISH, ids=lambda row: row[1])
def test_a_pitfall_has_its_test(row: list[str]) -> None:
    _, pitfall, done, test = row
    assert all((pitfall, done))
    if test == "—":
        assert NOT_COVERED[0] in done
        return
    file, _, name = test.strip("`").partition("::")
    tree = ast.parse((ROOT / file).read_bytes())
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_what_runs_are_known_for_is_there() -> None:
    text = " ".join(cell for row in ENGLISH for cell in row)
    for word in (
        "Evaluation",
        "Inference",
        "HF mirror",
        "Provenance",
        "Several end tokens",
        "MMLU",
        "Near-duplicates",
        "Memory measured",
    ):
        assert word in text
