from __future__ import annotations

import codecs
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judge.common.errors import SourceError
from judge.compiling.redirections import count_redirections
from judge.compiling.source import clean

LIMIT = 256 * 1024
CALL = b'freopen("a.in", "r", stdin)'


def count(source: bytes, family: str = "c++", *, gnu: bool = True) -> int:
    return clean(source, family=family, limit_bytes=LIMIT, gnu=gnu).freopen_neutralised


def text(source: bytes, family: str = "c++") -> bytes:
    return clean(source, family=family, limit_bytes=LIMIT).text


# --- the text


@pytest.mark.parametrize("family", ["c", "c++", "python"])
@pytest.mark.parametrize(
    ("source", "cleaned"),
    [
        (b"int a;\n", b"int a;\n"),
        (b"\xef\xbb\xbfint a;\n", b"int a;\n"),
        ("\ufeffa = '和'\n".encode("utf-16-le"), "a = '和'\n".encode()),
        ("\ufeffa = 1\r\n".encode("utf-16-be"), b"a = 1\n"),
        ("\ufeffa = 1\n".encode("utf-32-le"), b"a = 1\n"),
        ("\ufeffa = 1\n".encode("utf-32-be"), b"a = 1\n"),
        (b"a\r\nb\rc\r\r\nd\n\re", b"a\nb\nc\n\nd\n\ne"),
        (b'R"(x\r\ny)" "\xff\xfe"', b'R"(x\ny)" "\xff\xfe"'),
        (b"a\xef\xbb\xbfb", b"a\xef\xbb\xbfb"),
    ],
)
def test_text(source: bytes, cleaned: bytes, family: str) -> None:
    assert text(source, family) == cleaned


@given(st.binary())
@example(b"\r\r\n\n\r")
def test_lines_stay(data: bytes) -> None:
    source = b"x" + data.replace(b"\0", b"")
    assert text(source, "python").split(b"\n") == re.split(rb"\r\n|\r|\n", source)


@pytest.mark.parametrize("family", ["c", "c++", "python"])
@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"int a;\r\nint\0b;", "NUL byte in line 2"),
        (codecs.BOM_UTF16_LE + b"a", "UTF-16 but is none"),
        (codecs.BOM_UTF16_LE + b"\x00\xd8\x00\xd8", "UTF-16 but is none at byte 2"),
        (codecs.BOM_UTF32_BE + b"\xff\xff\xff\xff", "UTF-32"),
        ("int a;".encode("utf-16-le"), "NUL byte in line 1"),
        (b"x" * (LIMIT + 1), f"{LIMIT + 1} bytes, over the limit of {LIMIT}"),
    ],
)
def test_refused(source: bytes, message: str, family: str) -> None:
    with pytest.raises(SourceError) as caught:
        text(source, family)
    assert message in str(caught.value)
    assert ": s" in str(caught.value), "the remedy"
    assert "\n" not in str(caught.value)


def test_size_limit_is_inclusive() -> None:
    assert text(b"x" * LIMIT) == b"x" * LIMIT


# --- counting freopen


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # spellings
        (CALL, 1),
        (b"std::" + CALL, 1),
        (b"::" + CALL, 1),
        (b"::std :: /* c */ freopen // c\n (a, b, stdout)", 1),
        (b"(freopen)(a, b, stdin)", 1),
        (b"(std::freopen)(a, b, stdin)", 1),
        (b"freopen64(a, b, stderr)", 1),
        (b"freopen(a, b, (stdin))", 1),
        (b"freopen(f(x, y), b, ok ? stdin : stdout)", 1),
        (b"if (!freopen(a, b, stdin) || !freopen(a, c, stdout)) return 1;", 2),
        (b"freopen(name(freopen(a, b, stdin)), c, stdout)", 2),
        (b"fre\\\nopen(a, b, st\\ \t\ndin)", 1),
        (b"fre\\\r\nopen(a, b, stdin)", 1),
        (b"fre\\\n\\\nopen\\\n(\\\na, b, stdin)", 1),
        # no redirection of a standard stream
        (b"freopen(a, b, f)", 0),
        (b"freopen(name(stdin), b, f)", 0),
        (b"freopen(stdin, stdin, f)", 0),
        (b"FILE *freopen(const char *, const char *, FILE *);", 0),
        (b"freopen; f(stdin)", 0),
        (b"freopen_(a, b, stdin) xfreopen(a, b, stdin) Freopen(a, b, stdin) freopen(a, b, stdin2)", 0),
        (b"freopen(a, b, stdin", 0),
        (b'freopen(a, b, "stdin")', 0),
        # comments
        (b"// " + CALL, 0),
        (b"/* " + CALL + b" */", 0),
        (b"// \\\n" + CALL + b"\n" + CALL, 1),
        (b"/\\\n/ " + CALL + b"\n" + CALL, 1),
        (b"/\\\n* " + CALL + b" *\\\n/" + CALL, 1),
        (b"/*/ " + CALL, 0),
        (b"/**/" + CALL, 1),
        (b"/* // */" + CALL, 1),
        (b"// /*\n" + CALL, 1),
        (b"/* unterminated " + CALL, 0),
        (b"a / b; " + CALL, 1),
        # literals
        (b'"' + CALL.replace(b'"', b'\\"') + b'"', 0),
        (b'"\\\\";' + CALL, 1),
        (b'"\\"";' + CALL, 1),
        (b"'\"';" + CALL + b";'\"'", 1),
        (b"'\\'';" + CALL, 1),
        (b'"//";' + CALL, 1),
        (b'"/*";' + CALL, 1),
        (b'L"x" u8"y" U"/*" u"z";' + CALL, 1),
        (b'"unterminated\n' + CALL, 1),
        (b'"spli\\\nced ' + b'freopen(a, b, stdin)";' + CALL, 1),
        # raw strings
        (b'R"(' + CALL + b')"', 0),
        (b'R"(")";' + CALL + b';R"(")"', 1),
        (b'R"x()" ' + CALL + b' )x";' + CALL, 1),
        (b'LR"(")" uR"(")" UR"(")" u8R"(")";' + CALL, 1),
        (b'R"(\\)";' + CALL, 1),
        (b'R"(\n//)";' + CALL, 1),
        (b'R"(\\\n)\\\n" " ' + CALL + b')";' + CALL, 1),
        (b'R"(a\\\nb\\\n)"\\\n;fre\\\nopen(a, b, stdin)', 1),
        (b'R\\\n"(")";' + CALL, 1),
        (b'R"(unterminated " ' + CALL, 0),
        (b'xR"(";' + CALL, 1),
        (b'R"seventeen_letters(";' + CALL, 1),
        # numbers
        (b"1'000'000; freopen(a, b, stdin); 1'0", 1),
        (b"0x1'f + 1e+5 + .5'0 + 'a'; " + CALL, 1),
        # macros
        (b'#define IN(x) freopen(x ".in", "r", stdin)\nIN("a"); IN("b");', 1),
        (b'#define IN(x) \\\n  freopen(x ".in", "r", stdin)\n', 1),
        (b"#define FR freopen\nFR(a, b, stdin); FR(a, b, f);", 1),
        (b"#define FR std::freopen\n#define GO(f, s) FR(f, b, s)\nGO(a, stdin); GO(a, f); GO(a, stdout);", 2),
        (b"#define IO(f) freopen(f, b, stdin), freopen(f, c, stdout)\nIO(a)", 2),
        (b"#define SRC stdin\nfreopen(a, b, SRC)", 1),
        (b"#define freopen(a, b, c) 0\n" + CALL, 0),
        (b"#define OPEN (\nfreopen(a, b, stdin)", 1),
        (b"%:define FR freopen\nFR(a, b, stdin);", 1),
        (b"/* c */ # define /* c */ FR freopen\nFR(a, b, stdin)", 1),
        (b"freopen(a,\n#define X )\nb, stdin)", 1),
        # what the preprocessor skips
        (b"#if 0\n" + CALL + b"\n#endif\n" + CALL, 1),
        (b"#if 1\n" + CALL + b"\n#else\n" + CALL + b"\n#endif", 1),
        (b"#ifndef ONLINE_JUDGE\n" + CALL + b"\n#endif", 0),
        (b"#ifdef ONLINE_JUDGE\n" + CALL + b"\n#else\nfreopen(a, b, f)\n#endif", 1),
        (b"#ifdef LOCAL // mine\n" + CALL + b"\n#endif", 0),
        (b"#define LOCAL\n#ifdef LOCAL\n" + CALL + b"\n#endif", 1),
        (b"#define LOCAL\n#undef LOCAL\n#ifdef LOCAL\n" + CALL + b"\n#endif", 0),
        (b"#if defined(LOCAL)\n" + CALL + b"\n#elif !defined X\n" + CALL + b"\n#else\n" + CALL + b"\n#endif", 1),
        (b"#if 0\n#if 1\n" + CALL + b"\n#else\n" + CALL + b"\n#endif\n#else\n" + CALL + b"\n#endif", 1),
        (b"#if __cplusplus >= 201103L\n" + CALL + b"\n#endif", 1),
        (b"#ifdef _WIN32\n" + CALL + b"\n#endif", 1),
        (b"#if 0\ndon't\n#endif\n" + CALL, 1),
        (b"#endif\n#else\n#elif\n#if\n#\n" + CALL, 1),
        (b"#error freopen(a, b, stdin)\n#include <freopen(a, b, stdin)>", 0),
    ],
)
def test_count(source: bytes, expected: int) -> None:
    assert count(source) == expected
    assert text(source) == source.replace(b"\r\n", b"\n"), "counting changes nothing"


def test_c_has_no_digit_separators_and_raw_strings_in_gnu_s_dialect_alone() -> None:
    assert count(b'R"(";' + CALL, "c", gnu=False) == 1
    assert count(b'R"(";' + CALL, "c") == 0
    assert count(b'R"(";' + CALL, "c++", gnu=False) == 0
    assert count(b"X(1'a', " + CALL + b", '')", "c") == 1


@pytest.mark.parametrize("macro", [b"linux", b"unix"])
@pytest.mark.parametrize("family", ["c", "c++"])
def test_gnu_s_dialect_defines_what_the_standard_s_does_not(family: str, macro: bytes) -> None:
    source = b"#ifdef " + macro + b"\n" + CALL + b"\n#endif"
    assert count(source, family) == 1
    assert count(source, family, gnu=False) == 0


@pytest.mark.parametrize("family", ["python", "java", "rust"])
def test_other_families_are_not_counted(family: str) -> None:
    assert count(CALL, family) == 0


_FRAGMENTS = [
    b"freopen",
    b"stdin",
    b"stdout",
    b"(",
    b")",
    b",",
    b";",
    b" ",
    b"\n",
    b"\\\n",
    b"\\",
    b"#",
    b"define ",
    b"if 0\n",
    b"ifdef A",
    b"else\n",
    b"endif\n",
    b"elif ",
    b"defined(",
    b'"',
    b"'",
    b"/*",
    b"*/",
    b"//",
    b'R"(',
    b')"',
    b'R"x(',
    b')x"',
    b"u8",
    b"1'0",
    b".5e+",
    b"%:",
    b"??/",
    b"/",
    b"\x80",
    b"\xff",
    b"$",
    b"_",
    b"a",
    b"::",
    CALL,
]
_SOUP = st.lists(st.sampled_from(_FRAGMENTS), max_size=40).map(b"".join)


@given(st.one_of(st.binary(), _SOUP), st.booleans())
@example(b"\\", True)
@example(b'freopen"\\', True)
def test_any_text_is_counted(source: bytes, cxx: bool) -> None:
    assert 0 <= count_redirections(source, cxx=cxx) <= source.replace(b"\\", b"").count(b"open") + source.count(b"(")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                [
                    b'"a /* \\" "',
                    b"'\"'",
                    b"/* ' \" // freopen(a, b, stdin) */",
                    b'// " /* (\n',
                    b"f(x, y)",
                    b"1 + 2.e+3",
                ]
            ),
            st.sampled_from([b"", b"freopen(a, b, stdin);", b"std::freopen (a, b, stdout) ;", b"freopen(a, b, f);"]),
        ),
        max_size=6,
    ),
    st.lists(st.integers(min_value=0, max_value=400), max_size=8),
)
def test_splices_and_what_stands_around_change_nothing(parts: list[tuple[bytes, bytes]], splices: list[int]) -> None:
    source = b"".join(around + b" " + call for around, call in parts)
    expected = sum(b"std" in call.rpartition(b"(")[2] for _, call in parts)
    for position in sorted((min(splice, len(source)) for splice in splices), reverse=True):
        source = source[:position] + b"\\\n" + source[position:]
    assert count_redirections(source, cxx=True) == expected


@pytest.mark.parametrize(
    "unit",
    [
        b"/*",
        b"//",
        b"(",
        b")",
        b"freopen(",
        b'R"(',
        b'R"x',
        b'LR"xyz(',
        b'"',
        b'"\\',
        b'\\"',
        b"'",
        b"'\\",
        b"1'",
        b".",
        b"\\\n",
        b"\\ ",
        b"#",
        b"#if\n",
        b"#if defined(",
        b"#else\n",
        b"#endif\n",
        b"#define f freopen\n",
        b"#define ",
        b"%:",
        b"/",
        b"a",
        b" ",
        b",",
        b'R"(\\\n)"',
        b'"a\n',
        b"?",
        b"\xff",
    ],
)
@pytest.mark.parametrize("family", ["c", "c++"])
def test_hostile_repetition_ends(unit: bytes, family: str) -> None:
    """No time is asserted: anything worse than linear would not end in sight."""
    source = CALL + b";\n" + unit * (400_000 // len(unit))
    assert clean(source, family=family, limit_bytes=len(source)).freopen_neutralised == 1
