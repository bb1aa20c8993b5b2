"""Samples out of statements, in every spelling that was met."""

from __future__ import annotations

from pathlib import Path

import pytest

import problems
from problems.text.statement import Sample, samples

ONE = (Sample("1 2\n3\n", "6\n"),)

#: One statement a file, each with the sample `ONE`.
SPELLINGS = sorted((Path(__file__).parent / "statements").glob("*.md"))


@pytest.mark.parametrize("path", SPELLINGS, ids=lambda path: path.stem)
def test_spellings(path: Path) -> None:
    assert samples(path.read_bytes().decode()) == ONE


def test_several_in_order() -> None:
    text = "".join(
        f"## 样例 #{n}\n\n### 样例输入 #{n}\n\n```\n{n}\n```\n\n### 样例输出 #{n}\n\n```\n{n * n}\n```\n\n"
        f"### 样例解释 #{n}\n\n略。\n\n"
        for n in range(1, 13)
    )
    assert samples(text) == tuple(Sample(f"{n}\n", f"{n * n}\n") for n in range(1, 13))


def test_inner_lines_and_spaces_stay() -> None:
    text = "### 样例输入\n\n```\n\n3 3\n#.#\n## x\n\n  *  \n```\n\n### 样例输出\n\n```\n 1\n\n2 \n```\n"
    assert samples(text) == (Sample("\n3 3\n#.#\n## x\n\n  *  \n", " 1\n\n2 \n"),)


def test_values_on_the_label_line() -> None:
    text = "**示例 1：**\n\n**输入：** 1 2\n**输出：** 3\n\n**示例 2：**\n\n**输入：** [3, 4]\n**输出：** 7\n"
    assert samples(text) == (Sample("1 2\n", "3\n"), Sample("[3, 4]\n", "7\n"))


def test_empty_input() -> None:
    assert samples("### 样例输入\n\n```\n```\n\n### 样例输出\n\n```\nHello\n```\n") == (Sample("", "Hello\n"),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "## 输入格式\n\n一个整数。\n\n## 输出格式\n\n一个整数。\n",
        "## 输入\n\n一个整数 $n$。\n\n## 输出\n\n一个整数。\n",
        "## 样例\n\n### 样例输入\n\n```\n1\n```\n",  # no output
        "### 样例输出\n\n```\n1\n```\n",  # no input
        "Input: two integers. Output: their sum.\n",
    ],
)
def test_nothing_to_find(text: str) -> None:
    assert samples(text) == ()


@pytest.mark.parametrize("name", ["P1001", "P3390"])
def test_statements_of_the_library_describe_formats_only(name: str) -> None:
    problem = problems.load(name)
    assert [samples(path.read_text()) for path in problem.statements.values()] == [(), ()]
