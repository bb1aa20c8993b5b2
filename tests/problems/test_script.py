"""Luogu's scoring scripts: what they compute, and what is refused where."""

from __future__ import annotations

import pytest

from problems.text.script import AC, MOST_DEPTH, MOST_WORDS, UNAC, WA, Part, ScriptError, parse

#: The example of the site's page, in our words: 30 points for tests 3 and 4, or 4 and 5; time and memory of test 4.
PAIRS = """\
if (@status4 == AC) and (@status3 == AC or @status5 == AC); then
    @total_score = 30;
    @final_status = AC;
    @final_time = @time4; @final_memory = @memory4;
else
    @total_score = 0; @final_status = UNAC; @final_time = 0; @final_memory = 0;
fi
"""
REST = "@final_status = AC; @final_time = 0; @final_memory = 0;"


def computed(expression: str) -> int:
    return parse(f"@x = 6; @total_score = {expression}; {REST}").run({"score1": 40})["total_score"]


@pytest.mark.parametrize(("verdicts", "points"), [("AA-", 30), ("-AA", 30), ("AAA", 30), ("A-A", 0), ("-A-", 0)])
def test_the_example_of_the_site(verdicts: str, points: int) -> None:
    parts = {
        number: Part(status=AC if verdict == "A" else WA, points=10, time_ms=number, memory_kib=100 * number)
        for number, verdict in enumerate(verdicts, 3)
    }
    made = parse(PAIRS).of(parts)
    assert made == (Part(points=30, time_ms=4, memory_kib=400) if points else Part(status=UNAC, points=0))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3 - 4", 3),
        ("(1 + 2) * 3", 9),
        ("@score1 / 7", 5),
        ("-7 / 2", -3),
        ("7 / -2", -3),
        ("-7 % 3", -1),
        ("7 % -3", 1),
        ("10 - 4 - 3", 3),
        ("6 and 3", 2),
        ("6 or 1", 7),
        ("6 xor 3", 5),
        ("not 6", -7),
        ("not (1 == 1)", 0),
        ("not 1 == 2", 0),  # (not 1) == 2
        ("1 or 2 xor 2 and 0", 3),
        ("2 == 2 and 3 == 4", 0),
        ("1 < 2 == 1", 1),
        ("3 and 1 == 1", 1),
        ("@x >= 6 or 1 / 0 == 0", 1),
        ("@x != 6 and 1 / 0 == 0", 0),
        ("(@x == 6) * 5 + (@x != 6)", 5),
        ("- - + 5", 5),
        ("AC == 12", 1),
    ],
)
def test_arithmetic_is_that_of_c(expression: str, value: int) -> None:
    assert computed(expression) == value


def test_conditions_in_conditions() -> None:
    text = (
        "if @score1 > 50; then @total_score = 1; else if @score1 > 20; then @total_score = 2; fi fi;"
        f";{REST} if 0; then @total_score = 3; fi"
    )
    assert [parse(text).run({"score1": score})["total_score"] for score in (60, 40)] == [1, 2]
    with pytest.raises(ScriptError, match=r"@total_score is not set"):
        parse(text).run({"score1": 3})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@a = 1", "line 1, column 7: ';' is missing at the end"),
        ("@a = 1;\n  if @a then", "line 2, column 9: ';' is missing before 'then'"),
        ("if 1; then @a = 1;", "line 1, column 19: else or fi is missing at the end"),
        ("if 1; then else else fi", "line 1, column 17: a statement begins with a variable, or with if before 'else'"),
        ("x = 1;", "line 1, column 1: a statement begins with a variable, or with if before 'x'"),
        ("@a = ;", "line 1, column 6: a number, a variable or one of AC, WA, TLE, MLE, UNAC is missing before ';'"),
        ("@a = ac;", "line 1, column 6: a number, a variable or one of AC, WA, TLE, MLE, UNAC is missing before 'ac'"),
        ("@a = 1.5;", "line 1, column 7: '.' cannot stand here"),
        ("@a =\u3000 1;", r"line 1, column 5: '\u3000' cannot stand here"),
        ("@a = ١;", "line 1, column 6: '١' cannot stand here"),
        ("@a = (1;", "line 1, column 8: ')' is missing before ';'"),
        (f"@a = {'9' * 5000};", "line 1, column 6: the number needs more than 64 bits"),
        ("@a = " + "(" * (MOST_DEPTH + 1), f"more than {MOST_DEPTH} parentheses and conditions stand in each other"),
        ("if 1; then " * (MOST_DEPTH + 1), f"more than {MOST_DEPTH} parentheses and conditions stand in each other"),
        (";" * (MOST_WORDS + 1), f"the script has more than {MOST_WORDS} words"),
        (" " * (1 << 17), "the script has more than 65536 characters"),
    ],
)
def test_what_is_no_script(text: str, message: str) -> None:
    with pytest.raises(ScriptError) as caught:
        parse(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@a = 1;\n@b = @a / (@a - 1);", "line 2, column 9: division by zero"),
        ("@a = 1 % 0;", "line 1, column 8: division by zero"),
        ("@a = @b;", "line 1, column 6: @b is read, but nothing set it"),
        ("@a = 9223372036854775807 + 1;", "line 1, column 26: the number needs more than 64 bits"),
        ("@a = (-9223372036854775807 - 1) / -1;", "line 1, column 33: the number needs more than 64 bits"),
        ("@final_status = WA;", "line 1, column 1: @final_status cannot be 6: set one of the constants"),
        ("@status3 = 1;", "line 1, column 1: @status3 cannot be 1: set one of the constants"),
        ("@total_score = 1;", "@final_status is not set"),
    ],
)
def test_what_fails_when_it_runs(text: str, message: str) -> None:
    with pytest.raises(ScriptError) as caught:
        parse(text).run({})
    assert message in str(caught.value)


def test_long_expressions_neither_recurse_nor_grow() -> None:
    assert computed("1" + "+1" * 8000) == 8001
    assert computed("-" * 16000 + "1") == 1
    with pytest.raises(ScriptError, match="64 bits"):
        computed("3" + "*3" * 8000)
