"""n and k; n integers."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"[0-9]+ [0-9]+\n-?[0-9]+( -?[0-9]+)*\n", text):
    sys.exit(43)
n, k, *values = map(int, text.split())
right = 1 <= n <= 100000 and 1 <= k <= 10**9 and len(values) == n
sys.exit(42 if right and all(abs(value) <= 10**9 for value in values) else 43)
