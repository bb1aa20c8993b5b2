"""Exit 42 if standard input is a valid test, 43 if not: an argument a line, as JSON."""

import json
import sys


def valid(words):
    if not (isinstance(words, list) and len(words) <= 2 * 10**4):
        return False
    letters = set("abcdefghijklmnopqrstuvwxyz")
    return all(isinstance(word, str) and 1 <= len(word) <= 20 and set(word) <= letters for word in words)


try:
    right = valid(*map(json.loads, sys.stdin.read().splitlines()))
except (ValueError, TypeError):
    right = False
sys.exit(42 if right else 43)
