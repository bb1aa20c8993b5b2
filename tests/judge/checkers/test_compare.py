from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.checkers.compare import Checked, compare, difference
from judge.checkers.difference import SpanKind, count_tokens, show
from judge.common.errors import CheckerError
from problems.model import Comparison, Mode

EXACT = Comparison(mode=Mode.EXACT)
LINES = Comparison(mode=Mode.LINES)
TOKENS = Comparison()
TOKENS_CI = Comparison(mode=Mode.TOKENS_CI)
FLOAT = Comparison(mode=Mode.FLOAT, absolute_tolerance=1e-6, relative_tolerance=1e-6)
VALUE = Comparison(mode=Mode.FLOAT)
YESNO = Comparison(mode=Mode.YESNO)
SORTED_LINES = Comparison(mode=Mode.SORTED_LINES)
FULL_LINES = Comparison(mode=Mode.FULL_LINES)
STRIPPED_LINES = Comparison(mode=Mode.STRIPPED_LINES)
ALIKE_SPACES = Comparison(mode=Mode.ALIKE_SPACES)
NUMBERS = Comparison(mode=Mode.NUMBERS, absolute_tolerance=0.5)
FLOAT_BY_LINE = Comparison(mode=Mode.TOKENS_BY_LINE, absolute_tolerance=0.5)
BY_LINE = Comparison(mode=Mode.TOKENS_BY_LINE)
UNORDERED = Comparison(mode=Mode.UNORDERED_TOKENS)
JSON = Comparison(mode=Mode.JSON)
JSON_LARGE = Comparison(mode=Mode.JSON, absolute_tolerance=1e-9, relative_tolerance=1e-3)
JSON_FLOAT = Comparison(mode=Mode.JSON, absolute_tolerance=0.1)
SPACES = Comparison(space_sensitive=True)
SPACES_FLOAT = Comparison(space_sensitive=True, absolute_tolerance=0.1)
ICPC = Comparison(case_sensitive=False)
ALL = [
    EXACT, LINES, TOKENS, TOKENS_CI, FLOAT, VALUE, BY_LINE, SORTED_LINES, UNORDERED, SPACES, SPACES_FLOAT, ICPC,
    Comparison(mode=Mode.EXACT, case_sensitive=False), Comparison(mode=Mode.LINES, case_sensitive=False),
    Comparison(mode=Mode.SORTED_LINES, case_sensitive=False),
    Comparison(mode=Mode.UNORDERED_TOKENS, case_sensitive=False),
    Comparison(space_sensitive=True, case_sensitive=False), Comparison(mode=Mode.FLOAT, relative_tolerance=0.5),
    Comparison(mode=Mode.FLOAT, absolute_tolerance=0.25, case_sensitive=False),
    Comparison(mode=Mode.EXACT_LINES), Comparison(mode=Mode.EXACT_TRIMMED), Comparison(mode=Mode.TOKENS_BY_EVERY_LINE),
    FULL_LINES, STRIPPED_LINES, FLOAT_BY_LINE, ALIKE_SPACES,
]  # fmt: skip


def right(output: bytes, answer: bytes, comparison: Comparison) -> bool:
    checked = compare(output, answer, comparison)
    assert checked.score in {0.0, 1.0}
    assert (checked.detail == "") == (checked.score == 1.0)
    return checked.score == 1.0


# --- tables


@pytest.mark.parametrize(
    ("comparison", "output", "answer"),
    [
        (EXACT, b"1 2\n", b"1 2\n"),
        (LINES, b"1 2 \t\r\n3\n\n \n", b"1 2\n3"),
        (LINES, b"1\n\n3", b"1 \n \n3\n"),
        (LINES, b"", b"\n \n"),
        (TOKENS, b"\t1\v2\f3\r\n\n", b"1 2 3"),
        (TOKENS, b" \n", b""),
        (FULL_LINES, b"1\r\n2\r3\n\n \n", b"1\n2\n3"),
        (FULL_LINES, b"1", b"1\n\n\n"),
        (FULL_LINES, b"1\n\n ", b"1\n\n\n"),
        (FULL_LINES, b"1\n ", b"1\n\n"),
        (FULL_LINES, b"\n ", b"\n\n"),
        (ALIKE_SPACES, b"1\n2\t3 \n\n", b"1 2 3"),
        (ALIKE_SPACES, b"1 \r\n2", b"1\n2"),
        (ALIKE_SPACES, b"1  2", b"1\n2"),
        (ALIKE_SPACES, b" \n", b""),
        (FULL_LINES, b" ", b""),
        (STRIPPED_LINES, b"1 \t\r2", b"1\n2 "),
        (NUMBERS, b"x = 5.25, y = -2", b"5\n-2.5"),
        (NUMBERS, b"none", b""),
        (FLOAT_BY_LINE, b"1.25\r\n\n2 x", b"1\r2  x"),
        (BY_LINE, b"1\r2", b"1\n2"),
        (TOKENS, b"\xff\xfe", b"\xff\xfe\n"),
        (TOKENS, b"a\0b", b"a\0b "),
        (TOKENS_CI, b"yEs Maybe", b"YES mAYBE"),
        (ICPC, b"Case #1:  yes\r\n", b"case #1: YES\n"),
        (FLOAT, b"1.0000009 -0 1e3 .5 5. +7", b"1 0 1000 0.5 5 7"),
        (FLOAT, b"100000099", b"100000000"),
        (FLOAT, b"-Infinity INF", b"-inf Inf"),
        (FLOAT, b"0.100001", b"0.1"),  # on the very edge
        (FLOAT, b"1.0000001e400", b"1e400"),
        (FLOAT, b"word 1.0", b"word 1"),
        (FLOAT, b"1.0 nan 2.0", b"1 nan 2"),  # equal as text, so it is no number
        (Comparison(absolute_tolerance=0.5, case_sensitive=False), b"NaN -INF 1.5", b"nan -inf 1"),
        (FLOAT, b"0x10 1_000 a_b 1.00", b"0x10 1_000 a_b 1"),  # no numbers: the same text
        (FLOAT, b"1e99999999999999999999", b"1e99999999999999999999"),
        (VALUE, b"1.50 100 0e5", b"1.5 1e2 0"),
        (Comparison(absolute_tolerance=0.5, case_sensitive=False), b"ok 1.5", b"OK 1"),
        (Comparison(mode=Mode.FLOAT, relative_tolerance=1e-9), b"0", b"0.0"),
        (YESNO, b"Yes\nNO\n", b"YES no"),
        (BY_LINE, b"\n 1\t\v2 \r\n\n3\n \n", b"1 2\n3"),
        (BY_LINE, b"1" + b" " * 70_000 + b"2", b"1 2\n"),
        (SORTED_LINES, b"b 1 \n\na\nb 1\n", b"a\nb 1\nb 1"),
        (SORTED_LINES, b"b  1\r\ta\n", b"a\nb 1\n"),  # as DMOJ's `sorted` says
        (UNORDERED, b"3 1\n2 1", b"1 1 2 3\n"),
        (SPACES, b"a  b\n", b"a  b\n"),
        (JSON, b"[ 1 , 2.0 ]\n", b"[1,2]"),
        (JSON, b'{ "a" : [ ] , "b\\u0020c" : null }', b'{"b c": null, "a": []}'),
        (JSON, b"1", b"2\n\n1\n"),
        (JSON, b'"\\u6c42"', '"求"'.encode()),
        (JSON, b"1", b"true"),
        (JSON, b"1" + b"0" * 5000, b"1" + b"0" * 5000 + b" "),
        (JSON_FLOAT, b"[ 1.05 ]", b"[1]"),
        (JSON_LARGE, b"[ 1000000.5 , 7 ]", b"[1000000, 7]"),
        (JSON_LARGE, b"1000001", b"1000000.0"),
        (SPACES_FLOAT, b"a  1.05\n", b"a  1\n"),
    ],
)
def test_right(comparison: Comparison, output: bytes, answer: bytes) -> None:
    assert right(output, answer, comparison)


#: What has fooled one checker or another.
@pytest.mark.parametrize(
    ("comparison", "output", "answer"),
    [
        *[(comparison, b"", b"1\n2\n") for comparison in ALL],
        *[(comparison, b"1\n", b"1\n2\n") for comparison in ALL],  # a correct prefix
        *[(comparison, b"1\n2\n3\n", b"1\n2\n") for comparison in ALL],  # extra
        *[(comparison, b"1\n2\n2\n", b"1\n2\n1\n") for comparison in ALL],  # the same set, other counts
        *[(comparison, b"12\n", b"1\n2\n") for comparison in ALL],  # joined
        *[(comparison, b"1\n2\0\n", b"1\n2\n") for comparison in ALL],  # C strings end at NUL
        *[(comparison, b"1\n\xc2\xa02\n", b"1\n2\n") for comparison in ALL],  # no-break space
        *[(comparison, b"1\n2\x1c\n", b"1\n2\n") for comparison in ALL],  # white space of str.split()
        *[(comparison, b"\xef\xbb\xbf1\n2\n", b"1\n2\n") for comparison in ALL],
        *[(comparison, b"\x1b[2K\r1\n2\n", b"1\n2\n") for comparison in ALL],
        *[(comparison, "\uff11\n2\n".encode(), b"1\n2\n") for comparison in ALL],  # full-width digit
        *[(comparison, "\u0661\n2\n".encode(), b"1\n2\n") for comparison in ALL],  # Arabic digit
        *[(comparison, b"\xff\n", b"\xfe\n") for comparison in ALL],  # both U+FFFD
        *[(comparison, "\u212a\n".encode(), b"k\n") for comparison in ALL],  # Kelvin sign: str.lower() is k
        *[(comparison, "é\n".encode(), "É\n".encode()) for comparison in ALL],  # ASCII letters alone fold
        *[(comparison, b"*\n", b"5\n") for comparison in ALL],
        *[(comparison, b"nan\n", b"5\n") for comparison in ALL],
        *[(comparison, b"inf\n", b"5\n") for comparison in ALL],
        *[(comparison, b"5\n", b"inf\n") for comparison in ALL],
        *[(comparison, b"1e400\n", b"inf\n") for comparison in ALL],
        *[(comparison, b"-inf\n", b"inf\n") for comparison in ALL],
        *[(comparison, b"1_000\n", b"1000\n") for comparison in ALL],
        *[(comparison, b"0x10\n", b"16\n") for comparison in ALL],
        *[(comparison, b"0x1p4\n", b"16\n") for comparison in ALL],
        *[(comparison, b"1,5\n", b"1.5\n") for comparison in ALL],
        *[(comparison, b"5L\n", b"5\n") for comparison in ALL],
        *[(comparison, b"16e\n", b"16\n") for comparison in ALL],
        *[(comparison, b"5;\n", b"5\n") for comparison in ALL],
        *[(comparison, b"--5\n", b"5\n") for comparison in ALL],
        *[(FLOAT, nan, b"1 nan") for nan in (b"1 NaN", b"1 -nan", b"1 inf", b"2 nan")],
        (FLOAT, b"0", b"nan"),
        (FLOAT, b"0.1000011", b"0.1"),
        (FLOAT, b"1e400", b"1e401"),
        (FLOAT, b"1e400", b"-1e400"),
        (FLOAT, b"1e99999999999999999999", b"2e99999999999999999999"),
        (FLOAT, b"1e99999999999999999999", b"1"),
        (FLOAT, b"1 word", b"1 2"),
        (FLOAT, b"1 2", b"1 word"),
        (VALUE, b"9007199254740993", b"9007199254740992"),  # the same double
        (VALUE, b"0." + b"3" * 40, b"0." + b"3" * 41),
        (Comparison(mode=Mode.FLOAT, relative_tolerance=1.0), b"5", b"inf"),  # inf <= 1.0 * inf
        (Comparison(mode=Mode.FLOAT, relative_tolerance=1e-6), b"1e-9", b"0"),
        (Comparison(mode=Mode.FLOAT, relative_tolerance=0.5), b"100", b"60"),  # relative to the answer, not the output
        (TOKENS, b"YES", b"yes"),
        (TOKENS, b"-0", b"0"),
        (TOKENS, b"1.0", b"1"),
        (TOKENS, b"007", b"7"),
        (TOKENS, b"2 1", b"1 2"),
        (YESNO, b"yes yes", b"yes no"),
        (YESNO, b"y", b"yes"),
        (YESNO, b"yes no", b"yes"),
        (YESNO, b"maybe", b"yes"),
        (LINES, b" 1 2\n", b"1 2\n"),
        (LINES, b"1  2\n", b"1 2\n"),
        (LINES, b"1\n2", b"1 2\n"),
        (LINES, b"\n1\n", b"1\n"),
        (LINES, b"1\n\n2\n", b"1\n2\n"),
        (EXACT, b"1\n", b"1"),
        (EXACT, b"1\r\n", b"1\n"),
        (FULL_LINES, b"1 \n2", b"1\n2"),
        (FULL_LINES, b"1\n2\n3", b"1\n2\n"),
        (FULL_LINES, b"1\n2 ", b"1\n2\n"),
        (FULL_LINES, b"1", b"1\n \n"),
        (FULL_LINES, b"1\n \n", b"1\n\n\n"),
        (FULL_LINES, b" ", b"\n\n"),
        (ALIKE_SPACES, b"1 2", b"1  2"),
        (ALIKE_SPACES, b"1\n\n2", b"1\n2"),
        (ALIKE_SPACES, b"1\n 2", b"1\n2"),
        (ALIKE_SPACES, b" 1", b"1"),
        (ALIKE_SPACES, b"1 2", b"12"),
        (STRIPPED_LINES, b"1\n2\n", b"1\n2"),
        (STRIPPED_LINES, b"1\r\n2", b"1\n2"),
        (STRIPPED_LINES, b" 1", b"1"),
        (NUMBERS, b"1e2", b"100"),
        (NUMBERS, b"Case 1: 5", b"5"),
        (FLOAT_BY_LINE, b"1 2", b"1\n2"),
        (FLOAT_BY_LINE, b"1\n2.6", b"1\n2"),
        (BY_LINE, b"1\n2\n", b"1 2\n"),
        (BY_LINE, b"1 2\n", b"1\n2\n"),
        (BY_LINE, b"12\n", b"1 2\n"),
        (BY_LINE, b"1 2\n", b"1 2\n3\n"),
        (SORTED_LINES, b"a b\n", b"b a\n"),
        (SORTED_LINES, b"a\nb\n", b"a b\n"),
        (SPACES, b"a b\n", b"a  b\n"),
        (SPACES, b"a\nb\n", b"a b\n"),
        (SPACES, b"a\n", b"a"),
        (SPACES_FLOAT, b"a  1.05\n", b"a 1\n"),
        (SPACES_FLOAT, b"1\n ", b"1\n"),
        (SPACES_FLOAT, b" 1\n", b"1\n"),
        (SPACES_FLOAT, b"1", b"1\n"),
    ],
)  # fmt: skip
def test_wrong(comparison: Comparison, output: bytes, answer: bytes) -> None:
    assert not right(output, answer, comparison)


@pytest.mark.parametrize(
    ("comparison", "output", "answer", "detail"),
    [
        (TOKENS, b"1 2\n3 4 8\n", b"1 2\n3 4 7\n", 'line 2, token 3: expected "7", got "8"'),
        (TOKENS, b"\n\n 1", b"2", 'line 3, token 1: expected "2", got "1"'),
        (TOKENS, b"1 2\n3", b"1 2 3 4 5\n", "output ends after 3 of 5 tokens"),
        (TOKENS, b"", b"1", "output ends after 0 of 1 tokens"),
        (TOKENS, b"1 2\n3", b"1 2", 'line 2, token 1: extra token "3"'),
        (
            TOKENS,
            b'\x1b[31m"\\\xff\xe5\x92\x8c\x7f',
            b"1",
            'line 1, token 1: expected "1", got "\\x1b[31m\\"\\\\\\xff和\\x7f"',
        ),
        (TOKENS, b"\xe2\x80\xae1", b"1", 'line 1, token 1: expected "1", got "\\u202e1"'),  # right-to-left override
        (
            TOKENS,
            b"9" * 99 + b"8" + b"1" * 99,
            b"9" * 99 + b"7" + b"1" * 99,
            f'line 1, token 1: expected "…{"9" * 24}7{"1" * 39}…", got "…{"9" * 24}8{"1" * 39}…"',
        ),
        (TOKENS, "和".encode() * 40, "和".encode() * 39, f'line 1, token 1: expected "…{"和" * 8}", got "…{"和" * 9}"'),
        (LINES, b"a\nb c\n", b"a\nb d\n", 'line 2: expected "b d", got "b c"'),
        (LINES, b"a\n", b"a\nb\n", "output ends after 1 of 2 lines"),
        (LINES, b"a\nb\n", b"a\n", 'line 2: extra line "b"'),
        (EXACT, b"a", b"a\n", 'line 1: expected "a\\n", got "a"'),
        (EXACT, b"a\n", b"a\n\n", 'output ends where "\\n" is expected'),
        (EXACT, b"a\nb", b"a\n", 'line 2: extra line "b"'),
        (EXACT, b"a\r\n", b"a\n", 'line 1: expected "a\\n", got "a\\r\\n"'),
        (SPACES_FLOAT, b"1  2", b"1 2", 'line 1, token 2: expected " ", got "  "'),
        (SORTED_LINES, b"b\nb\n", b"a\nb\n", 'line 2: extra line "b"'),
        (SORTED_LINES, b"  \n\nb\n", b"a\nb\n", 'line 1: extra line "  "'),
        (UNORDERED, b"2\n1 1", b"1 2 3", 'line 2, token 2: extra token "1"'),
        (UNORDERED, b"2 1", b"1 2 3", 'token "3" of the answer is missing'),
        (JSON, b"[ 1 , 2 ]", b"[1, 3]", 'line 1, token 4: expected "3", got "2"'),
        (JSON, b"1\n2", b"1 \n2 ", 'line 2, token 1: extra token "2"'),
        (
            JSON_LARGE,
            b"[ 999999999001 ]",
            b"[1000000000000]",
            'line 1, token 2: expected "1000000000000", got "999999999001"',
        ),
        (JSON_LARGE, b"-1000000006", b"-1000000007", 'line 1, token 1: expected "-1000000007", got "-1000000006"'),
        (JSON_LARGE, b"[ 2.5 , 7 ]", b"[1.5, 9]", 'line 1, token 2: expected "1.5", got "2.5"'),
        (JSON_FLOAT, b'"1.05"', b'"1"', 'line 1, token 1: expected "\\"1\\"", got "\\"1.05\\""'),
        (JSON, b"[1,2]", b"[1, 2]", 'line 1, token 1: expected "[", got "[1,2]"'),
    ],
)
def test_detail(comparison: Comparison, output: bytes, answer: bytes, detail: str) -> None:
    assert compare(output, answer, comparison) == Checked(score=0.0, detail=detail, presentation=False)


def test_difference_for_the_command_line() -> None:
    found = difference(b"1 2\n3 4 8 5\n", b"1 2 3\n4 7\n", TOKENS)
    assert found is not None
    assert (found.kind, found.unit, found.line, found.token) == (SpanKind.DIFFERENT, "token", 2, 3)
    assert (found.expected, found.got) == ("7", "8")
    assert (found.expected_line, found.got_line) == ("4 7", "3 4 8 5")
    assert difference(b"1", b"1", TOKENS) is None


@pytest.mark.parametrize(
    ("comparison", "output", "answer", "presentation"),
    [
        (Comparison(mode=Mode.EXACT, presentation_error=True), b"1 2", b"1 2\n", True),
        (Comparison(mode=Mode.EXACT, presentation_error=True), b"1 3", b"1 2\n", False),
        (Comparison(mode=Mode.EXACT, presentation_error=True), b"12\n", b"1 2\n", False),
        (Comparison(mode=Mode.EXACT, presentation_error=True), b"A\n\n", b"a\n", False),
        (Comparison(mode=Mode.EXACT, presentation_error=True, case_sensitive=False), b"A\n\n", b"a\n", True),
        (Comparison(mode=Mode.LINES, presentation_error=True), b"1\n2\n", b"1 2\n", True),
        (Comparison(space_sensitive=True, presentation_error=True), b"1  2\n", b"1 2\n", True),
        (Comparison(space_sensitive=True, presentation_error=True, absolute_tolerance=1.0), b"1  3\n", b"1 2\n", True),
        (Comparison(space_sensitive=True, presentation_error=True, absolute_tolerance=1.0), b"1  4\n", b"1 2\n", False),
        (Comparison(mode=Mode.EXACT), b"1 2", b"1 2\n", False),  # not asked for
        (Comparison(presentation_error=True), b"1 3", b"1 2\n", False),
    ],
)
def test_presentation(comparison: Comparison, output: bytes, answer: bytes, presentation: bool) -> None:
    checked = compare(output, answer, comparison)
    assert (checked.score, checked.presentation) == (0.0, presentation)


@pytest.mark.parametrize(
    ("comparison", "answer"),
    [
        (Comparison(mode=Mode.LINES, absolute_tolerance=1.0), b""),
        (Comparison(mode=Mode.YESNO, relative_tolerance=0.0), b""),
        (Comparison(mode=Mode.FLOAT, absolute_tolerance=-1.0), b""),
        (Comparison(mode=Mode.FLOAT, absolute_tolerance=float("nan")), b""),
        (Comparison(mode=Mode.FLOAT, relative_tolerance=float("inf")), b""),
        (Comparison(mode=Mode.SORTED_LINES, space_sensitive=True), b""),
        (YESNO, b"yes perhaps"),
    ],
)
def test_what_cannot_be_meant_is_refused(comparison: Comparison, answer: bytes) -> None:
    with pytest.raises(CheckerError, match=str(comparison.mode)):
        compare(answer, answer, comparison)


# --- size: no time is asserted; quadratic work on these would not end in sight


@pytest.mark.parametrize("comparison", ALL, ids=str)
@pytest.mark.parametrize(
    "output",
    [
        b"9" * 1_000_000,
        b"9" * 1_000_000 + b"x",
        b"0." + b"0" * 1_000_000 + b"1e1000000",
        b"1e" + b"9" * 1_000_000,
        b" " * 1_000_000 + b"x",
        b"\n" * 1_000_000 + b"x",
        b" \n" * 500_000 + b" x",
        b"1 " * 500_000,
        b"\xe5" * 1_000_000,
        b"\x80" * 1_000_000,
    ],
    ids=[
        "digits",
        "no-number",
        "small",
        "exponent",
        "blank",
        "newlines",
        "blank-lines",
        "tokens",
        "lead-bytes",
        "trail-bytes",
    ],
)
def test_large(output: bytes, comparison: Comparison) -> None:
    checked = compare(output, b"1\n2\n", comparison)
    assert checked.score == 0.0
    assert len(checked.detail) < 500
    assert right(output, bytes(bytearray(output)), comparison)
    assert right(b"9 8 " + output, b"9\t8 " + output, comparison) == _blank_alike(comparison)


def _blank_alike(comparison: Comparison) -> bool:
    return not comparison.space_sensitive and comparison.mode not in {
        Mode.EXACT,
        Mode.EXACT_LINES,
        Mode.EXACT_TRIMMED,
        Mode.LINES,
        Mode.FULL_LINES,
        Mode.STRIPPED_LINES,
    }


def test_a_difference_after_many_tokens_is_placed() -> None:
    answer = b"".join(b"%d %d\n" % (number, number) for number in range(300_000))
    output = answer.replace(b" 299998\n", b" 7\n").replace(b"\n1 ", b" \n1 ")  # the beginning differs in white space
    assert compare(output, answer, TOKENS).detail == 'line 299999, token 2: expected "299998", got "7"'
    floats = Comparison(mode=Mode.FLOAT, absolute_tolerance=0.5)
    assert (
        compare(output.replace(b"5\n", b"5.25\n"), answer, floats).detail
        == 'line 299999, token 2: expected "299998", got "7"'
    )


@given(st.binary())
def test_count_tokens(data: bytes) -> None:
    assert count_tokens(data) == len(data.split())


@given(st.binary())
def test_shown_text_is_printable(data: bytes) -> None:
    assert show(data).isprintable()
