"""Exit 42 if standard input is a valid test of this problem."""

import re
import sys

NUMBER = r"[1-9]\d{0,5}"


def bounded(text: str, high: int) -> int:
    assert re.fullmatch(NUMBER, text, re.ASCII), text
    number = int(text)
    assert number <= high, text
    return number


def validate(text: str) -> None:
    assert text.endswith("\n")
    first, *pairs = text[:-1].split("\n")
    n, m, root = (bounded(token, 5 * 10**5) for token in first.split(" "))
    assert root <= n and len(pairs) == n - 1 + m
    leader = list(range(n + 1))
    for number, line in enumerate(pairs):
        x, y = (bounded(token, n) for token in line.split(" "))
        if number < n - 1:
            while leader[x] != x:
                leader[x] = x = leader[leader[x]]
            while leader[y] != y:
                leader[y] = y = leader[leader[y]]
            assert x != y, f"edge {line} closes a cycle"
            leader[x] = y


try:
    validate(sys.stdin.read())
except (AssertionError, ValueError) as error:
    print(error, file=sys.stderr)
    sys.exit(43)
sys.exit(42)
