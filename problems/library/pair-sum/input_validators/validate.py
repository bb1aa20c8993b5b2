"""Exit 42 if standard input is a valid test, 43 if not: an argument a line, as JSON."""

import json
import sys


def valid(numbers, target):
    if not (
        isinstance(numbers, list)
        and 2 <= len(numbers) <= 2 * 10**4
        and type(target) is int
        and abs(target) <= 2 * 10**9
    ):
        return False
    if not all(type(one) is int and abs(one) <= 10**9 for one in numbers):
        return False
    seen, pairs = {}, 0
    for one in numbers:
        pairs += seen.get(target - one, 0)
        seen[one] = seen.get(one, 0) + 1
    return pairs == 1


try:
    right = valid(*map(json.loads, sys.stdin.read().splitlines()))
except (ValueError, TypeError):
    right = False
sys.exit(42 if right else 43)
