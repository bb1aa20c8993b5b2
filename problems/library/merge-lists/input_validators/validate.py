"""Exit 42 if standard input is a valid test, 43 if not: an argument a line, as JSON."""

import json
import sys


def valid(lists):
    if not (isinstance(lists, list) and len(lists) <= 1000 and all(isinstance(one, list) for one in lists)):
        return False
    values = [value for one in lists for value in one]
    if len(values) > 2 * 10**4 or not all(type(value) is int and abs(value) <= 10**4 for value in values):
        return False
    return all(one == sorted(one) for one in lists)


try:
    right = valid(*map(json.loads, sys.stdin.read().splitlines()))
except (ValueError, TypeError):
    right = False
sys.exit(42 if right else 43)
