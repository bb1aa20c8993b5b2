"""Exit 42 if standard input is a valid test, 43 if not: an argument a line, as JSON."""

import json
import sys


def valid(expression):
    if not (
        isinstance(expression, str) and 1 <= len(expression) <= 10**4 and set(expression) <= set("0123456789+-*()")
    ):
        return False
    depth = deepest = 0
    for one in expression:
        depth += (one == "(") - (one == ")")
        deepest = max(deepest, depth)
    return deepest <= 3000


try:
    right = valid(*map(json.loads, sys.stdin.read().splitlines()))
except (ValueError, TypeError):
    right = False
sys.exit(42 if right else 43)
