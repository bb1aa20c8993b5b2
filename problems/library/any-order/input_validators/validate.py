"""n and m; m pairs."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"([0-9]+ [0-9]+\n)+", text):
    sys.exit(43)
(n, m), *wishes = (tuple(map(int, line.split())) for line in text.splitlines())
right = 1 <= n <= 100000 and 0 <= m <= 200000 and len(wishes) == m
sys.exit(42 if right and all(1 <= u <= n and 1 <= v <= n and u != v for u, v in wishes) else 43)
