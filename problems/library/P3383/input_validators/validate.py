"""Exit 42 if standard input is a valid test of this problem."""

import re
import sys

NUMBER = r"[1-9]\d{0,8}"


def bounded(text: str, low: int, high: int) -> int:
    assert re.fullmatch(NUMBER, text, re.ASCII), text
    number = int(text)
    assert low <= number <= high, text
    return number


def count_primes(n: int) -> int:
    """Lucy's method: how many primes are there up to n?"""
    root = int(n**0.5)
    values = [n // i for i in range(1, root + 1)]
    values += range(values[-1] - 1, 0, -1)
    count = {v: v - 1 for v in values}
    for p in range(2, root + 1):
        if count[p] > count[p - 1]:
            for v in values:
                if v < p * p:
                    break
                count[v] -= count[v // p] - count[p - 1]
    return count[n]


def validate(text: str) -> None:
    assert text.endswith("\n")
    first, *queries = text[:-1].split("\n")
    n, q = first.split(" ")
    primes = count_primes(bounded(n, 2, 10**8))
    assert len(queries) == bounded(q, 1, 10**6)
    for query in queries:
        bounded(query, 1, primes)


try:
    validate(sys.stdin.read())
except (AssertionError, ValueError) as error:
    print(error, file=sys.stderr)
    sys.exit(43)
sys.exit(42)
