"""Reads Luogu's problems: JSON of the site's API (old and new), and Markdown (one file for each problem)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from problems.text.statement import samples
from trainer_adapter.data.deciding import refuse_deciding
from trainer_adapter.data.item import Item, Row, Unusable, cases, first_held, label, megabytes, seconds, text
from trainer_adapter.data.tests_column import DataError

_KIB = 1024
_MS = 1_000_000
#: Less is meant in seconds or MiB, which Luogu does not write as numbers.
_LEAST = {_MS: 50, _KIB: 2000}

#: Heading, and the keys of its text in the old and the new API.
_PARTS = (
    ("题目背景", "background"),
    ("题目描述", "description"),
    ("输入格式", "inputFormat", "formatI", "input_format"),
    ("输出格式", "outputFormat", "formatO", "output_format"),
    ("提示", "hint"),
)
_TESTS = ("tests", "test_cases", "testcases", "testCases")
_TITLE = re.compile(r"#[ \t]+(\S.*)")
_SAID = re.compile(r"^(pid|title|diff)\w*:(.*)", re.MULTILINE)
_MATTER = re.compile(r"---\n(.*?)\n---\n", re.DOTALL)


def read(row: Row) -> Item:
    """A row of JSON: the parts of a statement, or all of it in `markdown`, `content`, `statement` or `prompt`."""
    content = row.get("content")
    if isinstance(content, dict):
        refuse_deciding(content, "content")
    parts = {**row, **content} if isinstance(content, dict) else row
    statement = _statement(parts)
    given = cases(row.get("samples")) or samples(statement)
    title = label(parts, "title", "name")
    tests = first_held({name: row[name] for name in _TESTS if row.get(name)}, *_TESTS)
    limits = row.get("limits")
    limits = limits if isinstance(limits, dict) else {}
    return Item(
        id=label(row, "pid", "problem_id", "id") or title,
        title=title,
        statement=statement,
        difficulty=label(row, "difficulty"),
        samples=given,
        tests=cases(tests),
        cpu_ns=_most(limits.get("time") or row.get("time_limit"), _MS, seconds),
        memory_bytes=_most(limits.get("memory") or row.get("memory_limit"), _KIB, megabytes),
    )


def _statement(parts: Row) -> str:
    if not text(parts, "description"):
        whole = text(parts, "markdown", "content", "statement", "prompt", "question", "problem")
        if not whole:
            raise Unusable("there is no statement")
        return whole
    return "\n\n".join(f"## {head}\n\n{found.strip()}" for head, *names in _PARTS if (found := text(parts, *names)))


def _most(value: Any, unit: int, worded: Callable[[Any], int | None]) -> int | None:
    """The limit; if there is one for each test, the largest, which wrongs no program. Numbers are in Luogu's `unit`,
    text is as its pages show it ("1.00s", "512.00MB")."""
    limits = value if isinstance(value, list) else [value]
    if any(isinstance(one, int) and 0 < one < _LEAST[unit] for one in limits):
        raise Unusable("limits are not understood: Luogu's numbers are milliseconds and KiB")
    found = [one * unit if isinstance(one, int) else worded(one) for one in limits]
    return max((one for one in found if one is not None and one > 0), default=None)


def markdown_row(path: Path) -> dict[str, Any]:
    """The row of a Markdown file. Front matter, as static sites have it, gives id, title and difficulty."""
    try:
        whole = path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise DataError(f"{path}: is not UTF-8; convert it (iconv -f GB18030 -t UTF-8, say)") from None
    row: dict[str, Any] = {"pid": path.stem}
    if matter := _MATTER.match(whole):
        whole = whole[matter.end() :]
        said = {name: value.strip().strip("\"'") for name, value in _SAID.findall(matter[1])}
        row |= {"pid": said.get("pid", path.stem), "title": said.get("title", ""), "difficulty": said.get("diff", "")}
    title = _TITLE.match(whole.lstrip())
    if title is not None:
        row["title"] = row.get("title") or title[1].strip()
        whole = whole.lstrip()[title.end() :]
    return row | {"markdown": whole.strip()}
