"""n; n heights."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"[0-9]+\n[0-9]+( [0-9]+)*\n", text):
    sys.exit(43)
n, *heights = map(int, text.split())
sys.exit(42 if 1 <= n <= 100000 and len(heights) == n and all(1 <= h <= 10**9 for h in heights) else 43)
