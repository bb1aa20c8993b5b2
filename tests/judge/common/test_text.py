from __future__ import annotations

import click
from rich.cells import cell_len

from judge.common.text import cut, harmless, one_line, table


def test_control_sequences_are_spelled_out() -> None:
    shown = harmless("a\x1b]0;title\x07b\rc\u202egnp.exe\x9b2J\ttab\nline\r\n中文")
    assert shown == "a\\x1b]0;title\\x07b\\x0dc\\u202egnp.exe\\x9b2J\ttab\nline\n中文"


def test_what_nothing_shows_is_spelled_out() -> None:
    assert harmless("3\u200b \ufeff4\u2060 5\xad \U000e0041") == "3\\u200b \\ufeff4\\u2060 5\\xad \\U000e0041"
    assert harmless("全角\u3000空格 \xa0") == "全角\u3000空格 \xa0"


def test_one_line_cuts_by_columns_not_by_characters() -> None:
    assert one_line("多 行\n文 本") == "多 行 文 本"
    assert cut("宽" * 10, 20) == "宽" * 10
    assert cell_len(cut("宽" * 11, 20)) <= 20
    assert cut("宽" * 11, 20).endswith("…")


def test_columns_line_up_with_wide_characters_and_colours() -> None:
    rows = [("P1001", "加法问题", "2"), (click.style("AC", fg="green"), "e\u0301 combining", "10")]
    lines = [click.unstyle(line) for line in table(("名", "title", "n"), rows, right={2}).split("\n")]
    assert len({cell_len(line) for line in lines}) == 1
    starts = [
        cell_len(line[: line.index(cell)]) for line, cell in zip(lines, ("title", "加法", "e\u0301"), strict=True)
    ]
    assert len(set(starts)) == 1
    assert [line[-2:] for line in lines] == [" n", " 2", "10"]


def test_no_rows() -> None:
    assert click.unstyle(table(("a", "b"), [])) == "a  b"
