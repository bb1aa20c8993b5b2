"""Exit 42 if standard input is a valid test, 43 if not: an argument a line, as JSON."""

import json
import sys


def valid(numbers, width):
    if not (isinstance(numbers, list) and type(width) is int and 1 <= width <= len(numbers) <= 2 * 10**4):
        return False
    return all(type(one) is int and abs(one) <= 10**9 for one in numbers)


try:
    right = valid(*map(json.loads, sys.stdin.read().splitlines()))
except (ValueError, TypeError):
    right = False
sys.exit(42 if right else 43)
