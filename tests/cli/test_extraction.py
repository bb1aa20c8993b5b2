from __future__ import annotations

import pytest

from judge.extraction import extract

CASES = {
    "no block": ("int main(){}", "int main(){}", None),
    "one block": ("text\n```cpp\nint x;\n```\nmore", "int x;\n", "cpp"),
    "last of two": ("```py\na\n```\n```C++ title=x\nb\n```", "b\n", "c++"),
    "no tag": ("```\na\n```", "a\n", None),
    "unclosed only": ("```cpp\nint x;", "```cpp\nint x;", None),
    "unclosed last": ("```cpp\na\n```\nthen\n```cpp\nb", "a\n", "cpp"),
    "unclosed first": ("```cpp\ndraft\nbetter:\n```cpp\nfinal\n```", "final\n", "cpp"),
    "empty block": ("```cpp\n```", "", "cpp"),
    "inline back-ticks": ("use ```x``` here\n```python\nprint(1)\n```", "print(1)\n", "python"),
    "inline at line start": ("```x``` is\n```python\nprint(1)\n```", "print(1)\n", "python"),
    "tildes hold back-ticks": ("~~~md\n```\n~~~", "```\n", "md"),
    "longer fence holds shorter": ("````md\n```cpp\nx\n```\n````", "x\n", "cpp"),
    "longer fence, bare shorter": ("````\n```\nx\n````", "```\nx\n", None),
    "crlf": ("```cpp\r\nint x;\r\n```\r\n", "int x;\r\n", "cpp"),
    "indented fence": ("1. so:\n   ```c\n   int x;\n   ```\n", "   int x;\n", "c"),
    "fence inside a line": ('```cpp\nputs("```");\n```', 'puts("```");\n', "cpp"),
    "empty": ("", "", None),
}


@pytest.mark.parametrize(("completion", "code", "tag"), CASES.values(), ids=CASES)
def test_takes_the_last_complete_block(completion: str, code: str, tag: str | None) -> None:
    found = extract(completion)
    assert (found.code, found.tag) == (code, tag)


def test_a_hostile_fence_line_takes_linear_time() -> None:
    # Backtracking over 4 MB would take hours, and the suite's own limit would end it.
    completion = "```" + " " * 4_000_000 + "\v\n"
    assert extract(completion).code == completion
