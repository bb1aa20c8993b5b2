"""Exit 42 if standard input is a valid test of this problem."""

import re
import sys

NUMBER = r"(0|-?[1-9]\d{0,9})"


def bounded(text: str, low: int, high: int) -> int:
    assert re.fullmatch(NUMBER, text, re.ASCII), text
    number = int(text)
    assert low <= number <= high, text
    return number


def validate(text: str) -> None:
    assert text.endswith("\n")
    first, second, *operations = text[:-1].split("\n")
    n, m = (bounded(token, 1, 5 * 10**5) for token in first.split(" "))
    values = [bounded(token, -(2**31), 2**31 - 1) for token in second.split(" ")]
    assert len(values) == n and len(operations) == m
    largest = sum(map(abs, values))
    asked = False
    for line in operations:
        kind, x, y = line.split(" ")
        if kind == "1":
            bounded(x, 1, n)
            largest += abs(bounded(y, -(2**31), 2**31 - 1))
        else:
            assert kind == "2" and bounded(x, 1, n) <= bounded(y, 1, n), line
            asked = True
    assert asked and largest < 2**31


try:
    validate(sys.stdin.read())
except (AssertionError, ValueError) as error:
    print(error, file=sys.stderr)
    sys.exit(43)
sys.exit(42)
