"""Exit 42 if standard input is a valid test of this problem."""

import re
import sys

NUMBER = r"(0|-?[1-9]\d{0,4})"


def bounded(text: str, low: int, high: int) -> int:
    assert re.fullmatch(NUMBER, text, re.ASCII), text
    number = int(text)
    assert low <= number <= high, text
    return number


def validate(text: str) -> None:
    assert text.endswith("\n")
    first, *rows = text[:-1].split("\n")
    n, m = (bounded(token, 1, 5000) for token in first.split(" "))
    assert len(rows) == m
    for row in rows:
        c, other, y = row.split(" ")
        assert bounded(c, 1, n) != bounded(other, 1, n), row
        bounded(y, -(10**4), 10**4)


try:
    validate(sys.stdin.read())
except (AssertionError, ValueError) as error:
    print(error, file=sys.stderr)
    sys.exit(43)
sys.exit(42)
