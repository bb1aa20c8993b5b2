"""A program out of a completion: a table of what models write."""

from __future__ import annotations

import pytest

from judge.common.errors import LanguageError
from judge.languages.extraction import Completion, Reason, extract

F = "```"
ADD = "int main() { }\n"


def fenced(tag: str, code: str = ADD) -> str:
    return f"{F}{tag}\n{code}{F}\n"


def says(*contents: object, role: str = "assistant") -> list[dict[str, object]]:
    return [{"role": role, "content": content} for content in contents]


PY = fenced("py", "print(1)\n")

#: completion, wanted language, code, language
PROGRAMS: dict[str, tuple[Completion, str | None, str, str | None]] = {
    "a string": (f"So:\n{fenced('cpp')}Done.", None, ADD, "cpp17"),
    "a message": (says(fenced("cpp")), None, ADD, "cpp17"),
    "no tag, none wanted": (fenced(""), None, ADD, None),
    "no tag": (fenced(""), "cpp17", ADD, "cpp17"),
    "another standard of the wanted family": (fenced("c++20"), "cpp17", ADD, "cpp17"),
    "an alias is wanted": (fenced("cpp"), "c++14", ADD, "cpp14"),
    "upper case": (fenced("C++"), "cpp17", ADD, "cpp17"),
    "space before the tag": (fenced(" cpp"), "cpp17", ADD, "cpp17"),
    "a title after the tag": (fenced('cpp title="a.cpp" {1,3}'), "cpp17", ADD, "cpp17"),
    "a file name in the tag": (fenced("cpp:main.cpp"), "cpp17", ADD, "cpp17"),
    "pandoc": (fenced("{.cpp .numberLines}"), "cpp17", ADD, "cpp17"),
    "python": (PY, None, "print(1)\n", "python3"),
    "tildes": (f"~~~cpp\n{ADD}~~~", "cpp17", ADD, "cpp17"),
    "carriage returns": (f"{F}cpp\r\nint x;\r\n{F}\r\n", "cpp17", "int x;\r\n", "cpp17"),
    "indented in a list": (f"1. So:\n   {F}cpp\nint x;\n   {F}\n", "cpp17", "int x;\n", "cpp17"),
    "a letter in a list": (f"a. {F}py\n   if x:\n     y\n   {F}\n", "python3", "if x:\n  y\n", "python3"),
    "prose in a list": (f"- So: {F}py\n  if x:\n\n    y\n  {F}\n", "python3", "if x:\n\n  y\n", "python3"),
    "less indented than what closes": (f"- So: {F}py\n  x\n y\n  {F}\n", "python3", " x\ny\n", "python3"),
    "the role of another library": ([{"role": "model", "content": fenced("cpp")}], "cpp17", ADD, "cpp17"),
    "the last of two": (fenced("cpp", "int draft;\n") + fenced("cpp"), "cpp17", ADD, "cpp17"),
    "sample output after it": (fenced("cpp") + fenced("", "3\n"), "cpp17", ADD, "cpp17"),
    "named text after it": (fenced("cpp") + fenced("text", "3\n"), None, ADD, "cpp17"),
    "another language after it": (fenced("cpp") + PY, "cpp17", ADD, "cpp17"),
    "another language before one without a tag": (PY + fenced(""), "cpp17", ADD, "cpp17"),
    "the last that is named, none wanted": (fenced("cpp") + PY + fenced("", "3\n"), None, "print(1)\n", "python3"),
    "cut off after a whole one": (fenced("cpp") + f"Better:\n{F}cpp\nint m", "cpp17", ADD, "cpp17"),
    "a closing fence forgotten": (f"{F}cpp\nint draft;\nBetter:\n{fenced('cpp')}", "cpp17", ADD, "cpp17"),
    "back-ticks in a string": (fenced("cpp", f'puts("{F}");\n'), "cpp17", f'puts("{F}");\n', "cpp17"),
    "after thinking": (f"<think>{fenced('cpp', 'int draft;')}</think>\n{fenced('cpp')}", "cpp17", ADD, "cpp17"),
    "thinking begun by the prompt": (f"{F}cpp\nint dr</think>{fenced('cpp')}", "cpp17", ADD, "cpp17"),
    "thinking with an open fence": (f"<think>{F}cpp\nint dr</think>\n{fenced('cpp')}", "cpp17", ADD, "cpp17"),
    "the last assistant message": (
        [*says(fenced("cpp", "int draft;\n")), *says("ran", role="tool"), *says(fenced("cpp"))],
        "cpp17", ADD, "cpp17",
    ),
    "a tool spoke last": ([*says(fenced("cpp")), *says(PY, role="tool")], None, ADD, "cpp17"),
    "parts": (says([{"text": "So:\n"}, {"type": "image"}, {"text": fenced("cpp")}]), "cpp17", ADD, "cpp17"),
    "a named block in a longer fence": (f"`{fenced('md', fenced('cpp'))[:-1]}`", "cpp17", ADD, "cpp17"),
    "a longer fence holds a bare one": (f"`{F}\n{F}\nx\n`{F}", "cpp17", f"{F}\nx\n", "cpp17"),
    "tildes hold back-ticks": (f"~~~cpp\n{F}\n~~~", "cpp17", f"{F}\n", "cpp17"),
    "inline code at the start of a line": (f"{F}x{F} is\n{PY}", None, "print(1)\n", "python3"),
    "closed on the last line of the program": (f"{F}cpp\nint x;{F}", "cpp17", "int x;", "cpp17"),
    "a block in one line": (f"So:\n{F}python print(1){F}\n", None, "print(1)", "python3"),
    "in one line, then in several": (f"{F}python print(0){F}\n{PY}", None, "print(1)\n", "python3"),
    "in several lines, then in one": (f"{PY}\nTry it:\n{F}python solve(2){F}\n", None, "print(1)\n", "python3"),
    "closed far to the right": (f"{F}cpp\nint x;\n    {F}\n", "cpp17", "int x;\n", "cpp17"),
    "closed behind a tab": (f"{F}cpp\nint x;\n\t{F}\nIt is done.\n", "cpp17", "int x;\n", "cpp17"),
    "closed far to the right, then output": (
        f"{F}cpp\nint x;\n      {F}\nIt prints\n{F}text\n3\n{F}\n", "cpp17", "int x;\n", "cpp17",
    ),
    "closed far to the right, then a bare block": (
        f"{F}cpp\nint x;\n    {F}\nIt prints\n{F}\n3\n{F}\n", "cpp17", "int x;\n", "cpp17",
    ),
    "far to the right within, closed later": (
        f"{F}\nint x;\n    {F}\nint y;\n{F}\n", "cpp17", f"int x;\n    {F}\nint y;\n", "cpp17",
    ),
    "far to the right in a string": (
        f'{F}python\ns = """\n    {F}\n"""\n{F}\n', "python3", f's = """\n    {F}\n"""\n', "python3",
    ),
    "a word behind the closing fence": (f"{F}cpp\nint x;\n{F} code\n", "cpp17", "int x;\n", "cpp17"),
    "a language behind the closing fence": (f"{F}cpp\nint x;\n{F} python\nIt is done.", "cpp17", "int x;\n", "cpp17"),
    "a word that opens the next block": (f"{F}cpp\nint x;\n{F} cpp\nint y;\n{F}\n", "cpp17", "int y;\n", "cpp17"),
    "Chinese": (f"代码如下：\n{F}cpp\n// 读入\n{ADD}{F}\n时间复杂度为 $O(1)$。", "cpp17", f"// 读入\n{ADD}", "cpp17"),
}  # fmt: skip

#: completion, wanted language, reason
NONE: dict[str, tuple[Completion, str | None, Reason]] = {
    "nothing": ("", "cpp17", Reason.NO_FENCE),
    "none at all": (None, "cpp17", Reason.NO_FENCE),  # type: ignore[dict-item]
    "no messages": ([], "cpp17", Reason.NO_FENCE),
    "no assistant": (says(fenced("cpp"), role="user"), "cpp17", Reason.NO_FENCE),
    "no content": ([{"role": "assistant", "tool_calls": []}], "cpp17", Reason.NO_FENCE),
    "content is null": (says(None), "cpp17", Reason.NO_FENCE),
    "the last message says nothing": (says(fenced("cpp"), None), "cpp17", Reason.NO_FENCE),
    "bare code": (ADD, "cpp17", Reason.NO_FENCE),
    "inline code": (f"{F}int main() {{}}{F}", "cpp17", Reason.NO_FENCE),
    "a bare word in one line": (f"{F}int x;{F}", "cpp17", Reason.NO_FENCE),
    "cut off in a string, far to the right": (f'{F}python\ns = """\n    {F}\n', "python3", Reason.UNCLOSED),
    "cut off, with a call in one line": (
        f"{F}python solve(2){F}\n{F}python\nprint(",
        "python3",
        Reason.UNCLOSED,
    ),
    "two back-ticks": ("``\nint x;\n``", "cpp17", Reason.NO_FENCE),
    "cut off": (f"{F}cpp\n{ADD}", "cpp17", Reason.UNCLOSED),
    "closed with a longer tag": (f"{F}cpp\nint x;\n{F}cpp", "cpp17", Reason.UNCLOSED),
    "closed by the other character": (f"{F}cpp\nint x;\n~~~\n", "cpp17", Reason.UNCLOSED),
    "cut off while thinking": (f"<think>So\n{fenced('cpp')}", "cpp17", Reason.UNCLOSED),
    "program in the thinking alone": (f"<think>{fenced('cpp')}</think>It is done.", "cpp17", Reason.NO_FENCE),
    "another language": (PY, "cpp17", Reason.WRONG_LANGUAGE),
    "C where C++ is wanted": (fenced("c"), "cpp17", Reason.WRONG_LANGUAGE),
    "no language": (fenced("text"), None, Reason.WRONG_LANGUAGE),
    "output alone": (fenced("output", "3\n"), "cpp17", Reason.WRONG_LANGUAGE),
    "an empty block": (fenced("cpp", ""), "cpp17", Reason.EMPTY),
    "white space in a list": (f"a. {F}cpp\n \n   {F}\n", "cpp17", Reason.EMPTY),
    "white space": (fenced("cpp", " \n\t\n"), "cpp17", Reason.EMPTY),
    "an empty last block": (fenced("cpp") + fenced("cpp", ""), "cpp17", Reason.EMPTY),
}


@pytest.mark.parametrize(("completion", "wanted", "code", "language"), PROGRAMS.values(), ids=PROGRAMS)
def test_the_program(completion: Completion, wanted: str | None, code: str, language: str | None) -> None:
    found = extract(completion, wanted)
    assert (found.code, found.language, found.reason) == (code, language, None)


@pytest.mark.parametrize(("completion", "wanted", "reason"), NONE.values(), ids=NONE)
def test_why_there_is_none(completion: Completion, wanted: str | None, reason: Reason) -> None:
    found = extract(completion, wanted)
    assert (found.code, found.language, found.reason) == (None, None, reason)


def test_an_unknown_wanted_language_is_an_error() -> None:
    with pytest.raises(LanguageError, match="cpp71"):
        extract(fenced("cpp"), "cpp71")


@pytest.mark.parametrize(
    "hostile",
    ["</think>" * 200_000, f"{F}cpp\n" * 50_000, "<think>" * 200_000, "`" * 2_000_000, F + " " * 4_000_000 + "\v\n"],
)
def test_long_completions_take_linear_time(hostile: str) -> None:
    # Quadratic time would be hours, and end by the suite's own limit.
    assert extract(hostile, "cpp17").code is None
