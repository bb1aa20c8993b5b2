"""Exit 42 if standard input is a valid test of this problem."""

import re
import sys

NUMBER = r"(0|[1-9]\d{0,9})"


def bounded(text: str, low: int, high: int) -> int:
    assert re.fullmatch(NUMBER, text, re.ASCII), text
    number = int(text)
    assert low <= number <= high, text
    return number


def validate(text: str) -> None:
    assert text.endswith("\n")
    first, *edges = text[:-1].split("\n")
    tokens = first.split(" ")
    assert len(tokens) == 3
    n, m = bounded(tokens[0], 1, 10**5), bounded(tokens[1], 1, 2 * 10**5)
    s = bounded(tokens[2], 1, n)
    assert len(edges) == m
    after: list[list[int]] = [[] for _ in range(n + 1)]
    total = 0
    for edge in edges:
        u, v, w = edge.split(" ")
        after[bounded(u, 1, n)].append(bounded(v, 1, n))
        total += bounded(w, 0, 10**9)
    assert total <= 10**9
    reached, found = {s}, [s]
    for u in found:
        for v in after[u]:
            if v not in reached:
                reached.add(v)
                found.append(v)
    assert len(reached) == n


try:
    validate(sys.stdin.read())
except (AssertionError, ValueError) as error:
    print(error, file=sys.stderr)
    sys.exit(43)
sys.exit(42)
