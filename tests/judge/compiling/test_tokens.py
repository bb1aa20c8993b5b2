"""Programs that differ in comments and layout only have one normal form, which means the same to the compiler."""

from __future__ import annotations

import random
import re
import subprocess

import pytest

from judge.compiling.tokens import normal_form

PROGRAM = b"""#include <cstdio>
// adds two numbers; it doesn't print LINE numbers
#define TWICE(x) ((x) + (x)) /* a
   comment on two lines */
int main()
{
    long a, b; /* read */ scanf("%ld %ld", &a, &b);   // "both"

    printf("%ld\\n", TWICE(a) / 2 + b); char c = '"'; (void)c;
}
"""
FORM = (
    b'#include <cstdio>\n#define TWICE(x) ((x) + (x))\nint main()\n{\nlong a, b; scanf("%ld %ld", &a, &b);\n'
    b'printf("%ld\\n", TWICE(a) / 2 + b); char c = \'"\'; (void)c;\n}'
)


def test_comments_blank_lines_and_indentation_make_no_difference() -> None:
    assert normal_form(PROGRAM) == FORM
    assert normal_form(FORM) == FORM


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"a + b", b"a+b"),
        (b"#define f (x)", b"#define f(x)"),
        (b"#define a\nb", b"#define a b"),
        (b'"a  b"', b'"a b"'),
        (b'"a/* */b"', b'"a b"'),
        (b"'/*' + '*/'", b"'*/'"),
        (b"a /* \n */ b", b"a \n b"),
    ],
)
def test_what_a_compiler_may_see_makes_a_difference(one: bytes, other: bytes) -> None:
    assert normal_form(one) is not None
    assert normal_form(one) != normal_form(other)


@pytest.mark.parametrize(
    "source",
    [
        b"int x = __LINE__;", b"assert(x);", b"#line 7", b"# /* */ 7", b"#define J(a, b) a##b", b"%:define a",
        b"1.'0'", b"1$'0'", "1é'0'".encode(), b"1e+'0'", b"0x1p-'0'",
        b"std::source_location l;", b"// goes on \\\nint x;", b"int a = 1'000;", b'auto r = R"(a // b)";',
        b"char *p = \"??/\";", b"it's", b'a " b', b"a \\ b", b"/* no end", b"int a;\r\n", b"#include <a//b>",
        b"#include /**/ <a/**/b>", b'#include <a"b> // " /*', b"__has_include(<a//b>)",
    ],
)  # fmt: skip
def test_what_leaves_a_doubt_has_no_normal_form(source: bytes) -> None:
    assert normal_form(source) is None


PIECES = (
    b"a", b"b1", b"+", b"/", b"*", b"*/", b"//", b"/*", b"/**/", b"/* x */", b"// y", b'"', b'"s"', b'"//"', b'"/*"',
    b'"\\""', b"'", b"'c'", b"'\"'", b"'\\''", b" ", b"  ", b"\t", b"\n", b"\n\n", b"\n#if 0\n", b"\n#endif\n",
    b"\n#define f(x) #x\n", b"f(", b")", b"\n#include <cstddef> ", b"<", b">", b"R", b"u8", b"#", b"\\", b"\\n",
)  # fmt: skip


def test_the_preprocessor_finds_the_same_tokens_in_both() -> None:
    """In texts of what lexers get wrong: that of the text, and that of its normal form."""
    chance, tried = random.Random(1), 0
    while tried < 120:
        text = b"".join(chance.choices(PIECES, k=chance.randrange(2, 14)))
        form = normal_form(text)
        if form is None or form == text.strip(b" \n"):
            continue
        tried += 1
        assert tokens(text) == tokens(form), (text, form)


def tokens(text: bytes) -> tuple[int, bytes]:
    """Whether it can be preprocessed, and what is left, without the width of blanks between literals."""
    argv = ["g++", "-E", "-P", "-w", "-x", "c++", "-"]
    done = subprocess.run(argv, input=text, capture_output=True, check=False)
    parts = re.split(rb"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""", done.stdout)
    parts[::2] = [re.sub(rb"\s+", b" ", part) for part in parts[::2]]
    return done.returncode, b"".join(parts).strip()
