"""Exit 42 if standard input is a valid test of this problem."""

import re
import sys

NUMBER = r"(0|-?[1-9]\d{0,12})"


def bounded(text: str, low: int, high: int) -> int:
    assert re.fullmatch(NUMBER, text, re.ASCII), text
    number = int(text)
    assert low <= number <= high, text
    return number


def validate(text: str) -> None:
    assert text.endswith("\n")
    first, *rows = text[:-1].split("\n")
    n, k = first.split(" ")
    bounded(k, 0, 10**12)
    assert len(rows) == bounded(n, 1, 100)
    for row in rows:
        elements = [bounded(token, -1000, 1000) for token in row.split(" ")]
        assert len(elements) == len(rows)


try:
    validate(sys.stdin.read())
except (AssertionError, ValueError) as error:
    print(error, file=sys.stderr)
    sys.exit(43)
sys.exit(42)
