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
    n, m = (bounded(token, 1, 10**5) for token in first.split(" "))
    values = [bounded(token, -(10**9), 10**9) for token in second.split(" ")]
    assert len(values) == n and len(operations) == m
    largest = sum(map(abs, values))
    asked = False
    for line in operations:
        kind, *tokens = line.split(" ")
        x, y = (bounded(token, 1, n) for token in tokens[:2])
        assert x <= y, line
        if kind == "1":
            assert len(tokens) == 3, line
            largest += abs(bounded(tokens[2], -(10**9), 10**9)) * (y - x + 1)
        else:
            assert kind == "2" and len(tokens) == 2, line
            asked = True
    assert asked and largest < 2**63


try:
    validate(sys.stdin.read())
except (AssertionError, ValueError) as error:
    print(error, file=sys.stderr)
    sys.exit(43)
sys.exit(42)
