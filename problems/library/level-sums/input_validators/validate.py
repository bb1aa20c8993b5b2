"""Exit 42 if standard input is a valid test, 43 if not: an argument a line, as JSON."""

import json
import sys


def valid(nodes):
    if not (isinstance(nodes, list) and all(one is None or type(one) is int and abs(one) <= 1000 for one in nodes)):
        return False
    if sum(one is not None for one in nodes) > 10**4 or (nodes and (nodes[0] is None or nodes[-1] is None)):
        return False
    places = 1  # where the next node may hang
    for one in nodes:
        if places == 0:
            return False
        places += 1 if one is not None else -1
    return True


try:
    right = valid(*map(json.loads, sys.stdin.read().splitlines()))
except (ValueError, TypeError):
    right = False
sys.exit(42 if right else 43)
