"""n; n - 1 roads that make a tree."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"[0-9]+\n([0-9]+ [0-9]+ [0-9]+\n)*", text):
    sys.exit(43)
(n,), *roads = ([int(word) for word in line.split()] for line in text.splitlines())
if not 1 <= n <= 100000 or len(roads) != n - 1:
    sys.exit(43)
root = list(range(n + 1))


def find(i):
    while root[i] != i:
        root[i] = root[root[i]]
        i = root[i]
    return i


for u, v, w in roads:
    if not (1 <= u <= n and 1 <= v <= n and 1 <= w <= 10**9) or find(u) == find(v):
        sys.exit(43)
    root[find(u)] = find(v)
sys.exit(42)
