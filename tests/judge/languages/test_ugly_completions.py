"""What models write that no specification foresees: each kind once, with what is found in it.

The table of `test_extraction` holds the rules; this one what bends them.
"""

from __future__ import annotations

import pytest

from judge.languages.extraction import Completion, Reason, extract

F = "```"
CPP = "int main() { }\n"
PY = "for i in range(3):\n    print(i)\n"


def fenced(tag: str, code: str = CPP) -> str:
    return f"{F}{tag}\n{code}{F}\n"


def indented(by: str, code: str) -> str:
    return "".join(by + line for line in code.splitlines(keepends=True))


#: Tags of C++ by which models open a block.
CPP_TAGS = (
    "cpp",
    "CPP",
    "Cpp",
    "c++",
    "C++",
    "cc",
    "CC",
    "cxx",
    "hpp",
    "hxx",
    "hh",
    "h++",
    "cplusplus",
    "CPlusPlus",
    "g++",
    "c++11",
    "c++14",
    "c++17",
    "C++17",
    "c++20",
    "C++20",
    "c++23",
    "c++2a",
    "c++2b",
    "c++26",
    "cpp26",
    "cpp11",
    "cpp14",
    "cpp17",
    "cpp20",
    "cpp23",
    "cpp2a",
    "gnu++17",
    "gnu++20",
    "cxx17",
    "cplusplus17",
    "c++98",
    "c++03",
    "cpp98",
    "language-cpp",
    "language-c++",
    "lang-cpp",
    "lang=cpp",
    "language:cpp",
    ".cpp",
    "{.cpp}",
    "{.cpp .numberLines}",
    "{cpp}",
    "cpp:main.cpp",
    "cpp{1,3-5}",
    "cpp,linenos",
    "cpp;",
    'cpp title="main.cpp"',
    "cpp filename=main.cpp",
    "cpp showLineNumbers",
    "cpp // C++17",
    "cpp (C++17)",
    " cpp",
    "\tcpp",
    "cpp \t ",
    "clang++",
    "GNU C++17",
    "GNU G++17",
    "modern C++",
    "**cpp**",
    '"cpp"',
    "[cpp]",
    "<cpp>",
    "src/main.cpp",
    "C/C++",
)


@pytest.mark.parametrize("tag", CPP_TAGS)
def test_tags_of_cpp(tag: str) -> None:
    found = extract(f"So:\n{fenced(tag)}", "cpp17")
    assert (found.code, found.language) == (CPP, "cpp17")


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("c++20", "cpp20"),
        ("c++26", "cpp17"),
        ("cc", "cpp17"),
        ("language-python", "python3"),
        ("lang-rust", "rust"),
        ("Python3", "python3"),
        ("{.python}", "python3"),
        ("js", "javascript"),
        ("golang", "go"),
        ("c", "c17"),
    ],
)
def test_a_tag_says_the_language_where_none_is_wanted(tag: str, language: str) -> None:
    assert extract(fenced(tag), None).language == language


@pytest.mark.parametrize(
    ("tag", "wanted"),
    [("pl", "perl"), ("ex", "elixir"), ("scm", "scheme"), ("cjs", "javascript"), ("src/main.erl", "erlang")],
)
def test_a_tag_may_be_the_suffix_of_a_file(tag: str, wanted: str) -> None:
    assert extract(fenced(tag), wanted).code == CPP


def test_commands_are_the_program_only_if_nothing_else_is() -> None:
    build = fenced("bash", "g++ a.cpp\n")
    assert extract(fenced("cpp") + build, None).code == CPP
    assert extract(fenced("") + build, None).code == CPP
    assert extract(build, None).reason is Reason.NOT_TO_CHOOSE
    assert extract(build, None, may_choose=("cpp17", "bash")).language == "bash"
    assert extract(fenced("cpp") + build, None, may_choose=("cpp17", "bash")).code == CPP
    assert extract(fenced("cpp") + build, "bash").code == "g++ a.cpp\n"


@pytest.mark.parametrize(
    "tag",
    [
        "text",
        "plaintext",
        "output",
        "input",
        "bash",
        "sh",
        "console",
        "diff",
        "json",
        "csharp",
        "c#",
        "cs",
        "objective-c",
        "cuda",
        "cmake",
        "makefile",
        "asm",
        "python",
        "py",
        "java",
        "c",
        "rust",
        "latex",
        "markdown",
        "cpp17x9",
        "++",
        "pseudo",
    ],
)
def test_tags_of_anything_else(tag: str) -> None:
    assert extract(fenced(tag), "cpp17").reason is Reason.WRONG_LANGUAGE


#: completion, language, code
FOUND: dict[str, tuple[Completion, str, str]] = {
    "a fence at the end of a sentence": (f"Here is the code: {F}cpp\n{CPP}{F}\nDone.", "cpp17", CPP),
    "at the end of a heading": (f"### Solution {F}cpp\n{CPP}{F}", "cpp17", CPP),
    "after a list mark": (f"- {F}cpp\n{CPP}{F}", "cpp17", CPP),
    "after a number": (f"1. {F}python\n{PY}{F}", "python3", PY),
    "after bold text": (f"**Code:**{F}cpp\n{CPP}{F}", "cpp17", CPP),
    "after Chinese": (f"代码如下：{F}cpp\n{CPP}{F}", "cpp17", CPP),
    "behind a colon, without a tag": (f"Here is the code: {F}\n{CPP}{F}\nDone.", "cpp17", CPP),
    "behind a Chinese colon, without a tag": (f"代码如下：{F}\n{CPP}{F}", "cpp17", CPP),
    "behind a bold colon, without a tag": (f"**Code:** {F}\n{CPP}{F}", "cpp17", CPP),
    "data behind a colon, then the program": (f"For the input: {F}\n1 2\n{F}\n\n{fenced('')}", "cpp17", CPP),
    "a printed fence behind a colon": (f'{F}cpp\nputs("a: {F}\n");\n{F}\n', "cpp17", f'puts("a: {F}\n");\n'),
    "no tag, and what it prints": (f"{fenced('')}\nFor 1 2 it gives\n\n{fenced('', '3 -4.5' + chr(10))}", "cpp17", CPP),
    "no tag, and a run": (f"{fenced('')}\nExample run:\n{fenced('', '$ ./a < in' + chr(10))}", "cpp17", CPP),
    "after a quotation mark": (f"> {F}cpp\n{CPP}{F}", "cpp17", CPP),
    "after a long paragraph": (f"{'word ' * 1000}{F}cpp\n{CPP}{F}", "cpp17", CPP),
    "with a space before the tag": (f"So: {F} cpp\n{CPP}{F}", "cpp17", CPP),
    "a longer fence": (f"So: `{F}cpp\n{CPP}`{F}\n", "cpp17", CPP),
    "named in prose, then opened": (f"I use {F}cpp\nas follows:\n{fenced('cpp')}", "cpp17", CPP),
    "inline, then opened": (f"Use {F}cpp{F} blocks.\n{fenced('cpp')}", "cpp17", CPP),
    "four spaces": (f"1. So:\n\n    {F}cpp\n{indented('    ', CPP)}    {F}\n", "cpp17", CPP),
    "a tab": (f"- So:\n\t{F}cpp\n{indented(chr(9), CPP)}\t{F}\n", "cpp17", CPP),
    "eight spaces": (f"        {F}python\n{indented(' ' * 8, PY)}        {F}\n", "python3", PY),
    "two spaces, and Python": (f"  {F}python\n{indented('  ', PY)}  {F}\n", "python3", PY),
    "lines of less indentation": (f"    {F}cpp\n{CPP}    {F}\n", "cpp17", CPP),
    "lines of more indentation": (f"  {F}python\n  if 1:\n      print(1)\n  {F}\n", "python3", "if 1:\n    print(1)\n"),
    "empty lines in an indented block": (
        f"   {F}python\n   a = 1\n\n   print(a)\n   {F}\n",
        "python3",
        "a = 1\n\nprint(a)\n",
    ),
    "an indented block closed at the margin": (f"   {F}cpp\n   int x;\n{F}\n", "cpp17", "int x;\n"),
    "closed a little further in": (f"{F}cpp\nint x;\n  {F}\n", "cpp17", "int x;\n"),
    "a printed fence, far in": (f'{F}cpp\nputs("\n        {F}\n");\n{F}\n', "cpp17", f'puts("\n        {F}\n");\n'),
    "a printed fence with a tag, far in": (
        f"{F}python\nx = '''\n      {F}py\n'''\n{F}\n",
        "python3",
        f"x = '''\n      {F}py\n'''\n",
    ),
    "thinking that the template began": (
        f"Let me see.\n{fenced('cpp', 'int draft;')}</think>\n{fenced('cpp')}",
        "cpp17",
        CPP,
    ),
    "thinking that ends in the line of the fence": (f"hm</think>{fenced('cpp')}", "cpp17", CPP),
    "two thoughts": (f"<think>a</think>{fenced('cpp', 'int a;')}<think>b</think>{fenced('cpp')}", "cpp17", CPP),
    "tags of thinking in the program": (fenced("cpp", "// <think> not\n" + CPP), "cpp17", "// <think> not\n" + CPP),
    "carriage returns and a late fence": (f"So: {F}cpp\r\nint x;\r\n{F}\r\n", "cpp17", "int x;\r\n"),
    "no newline at the end": (f"{F}cpp\n{CPP}{F}", "cpp17", CPP),
    "spaces after the closing fence": (f"{F}cpp\n{CPP}{F}   \n", "cpp17", CPP),
    "a closing fence that is longer": (f"{F}cpp\n{CPP}{F}``\n", "cpp17", CPP),
    "a byte order mark before the text": (f"\ufeff{fenced('cpp')}"[1:], "cpp17", CPP),
    "zero bytes in the program": (fenced("cpp", "int x;\0\n"), "cpp17", "int x;\0\n"),
    "a lone surrogate": (fenced("cpp", "// \ud800\n"), "cpp17", "// \ud800\n"),
    "emoji and full-width text": (f"✅ 完成！\n{fenced('cpp')}🎉", "cpp17", CPP),
    "HTML around it": (f"<details>\n\n{fenced('cpp')}\n</details>", "cpp17", CPP),
    "a table before it": (f"| a | b |\n|---|---|\n{fenced('cpp')}", "cpp17", CPP),
    "front matter": (f"---\ntitle: x\n---\n{fenced('cpp')}", "cpp17", CPP),
    "input and output after it": (fenced("cpp") + fenced("input", "1 2\n") + fenced("output", "3\n"), "cpp17", CPP),
    "a shell command after it": (fenced("cpp") + fenced("bash", "g++ a.cpp\n"), "cpp17", CPP),
    "complexity in tildes": (fenced("cpp") + "~~~\nO(n)\n~~~\n", "cpp17", CPP),
    "an explanation in bare fences before it": (fenced("", "a + b\n") + fenced("cpp"), "cpp17", CPP),
    "a header file before it": (fenced("hpp", "int f();\n") + fenced("cpp"), "cpp17", CPP),
    "a brute force first": (
        "Brute force:\n" + fenced("cpp", "int slow;\n") + "Better:\n" + fenced("cpp"),
        "cpp17",
        CPP,
    ),
    "Python for a check before": (fenced("python", PY) + fenced("cpp"), "cpp17", CPP),
    "messages whose last has parts of text": (
        [{"role": "assistant", "content": ["So:\n", fenced("cpp")]}],
        "cpp17",
        CPP,
    ),
    "reasoning in a field of its own": (
        [{"role": "assistant", "reasoning_content": fenced("cpp", "x"), "content": fenced("cpp")}],
        "cpp17",
        CPP,
    ),
}


@pytest.mark.parametrize(("completion", "language", "code"), FOUND.values(), ids=FOUND)
def test_the_program_is_found(completion: Completion, language: str, code: str) -> None:
    found = extract(completion, language)
    assert (found.code, found.reason) == (code, None)


#: completion, reason
LOST: dict[str, tuple[Completion, Reason]] = {
    "a late fence without a tag or a colon": (f"So {F}\n{CPP}{F}\n", Reason.UNCLOSED),
    "a late fence of no language": (f"So: {F}text\n{CPP}{F}\n", Reason.UNCLOSED),
    "a late fence with words after it": (f"So: {F}cpp is it\n{CPP}", Reason.NO_FENCE),
    "two back-ticks at the end of a line": (f"So: ``cpp\n{CPP}``\n", Reason.NO_FENCE),
    "a late fence that is never closed": (f"So: {F}cpp\n{CPP}", Reason.UNCLOSED),
    "HTML entities instead of a program": (f"{F}cpp\n\n{F}", Reason.EMPTY),
    "HTML instead of fences": (f"<pre><code>{CPP}</code></pre>", Reason.NO_FENCE),
    "indentation instead of fences": (indented("    ", CPP), Reason.NO_FENCE),
    "quotation marks instead of back-ticks": (f"'''cpp\n{CPP}'''", Reason.NO_FENCE),
    "full-width back-ticks": (f"｀｀｀cpp\n{CPP}｀｀｀", Reason.NO_FENCE),
    "LaTeX": ("\\begin{lstlisting}\nint x;\n\\end{lstlisting}", Reason.NO_FENCE),
    "JSON": ('{"code": "int main() {}"}', Reason.NO_FENCE),
    "an apology": ("I cannot solve this problem.", Reason.NO_FENCE),
    "the prompt's own example": ("", Reason.NO_FENCE),
    "repetition until the end": (f"{F}cpp\n" + "int x;\n" * 1000, Reason.UNCLOSED),
    "a thought that never ends, with a program": (f"<think>\n{fenced('cpp')}so", Reason.UNCLOSED),
    "a thought that ends last": (f"{fenced('cpp')}</think>", Reason.NO_FENCE),
    "white space that is not empty": (fenced("cpp", "\u3000\n\t\n"), Reason.EMPTY),
}


@pytest.mark.parametrize(("completion", "reason"), LOST.values(), ids=LOST)
def test_no_program_is_found(completion: Completion, reason: Reason) -> None:
    found = extract(completion, "cpp17")
    assert (found.code, found.reason) == (None, reason)


def test_the_tables_are_large() -> None:
    assert len(CPP_TAGS) + len(FOUND) + len(LOST) + 37 >= 150


@pytest.mark.parametrize(
    "piece", [f"So: {F}cpp ", f"x {F}cpp\n", f"{'`' * 50} ", " " * 1000 + F, f"a{F}cpp" * 20, "\t" * 100]
)
def test_hostile_lines_take_linear_time(piece: str) -> None:
    # Quadratic time would be hours, and end by the suite's own limit.
    extract(piece * (2_000_000 // len(piece)), "cpp17")
