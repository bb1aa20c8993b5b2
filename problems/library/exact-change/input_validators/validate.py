"""Three integers."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"[0-9]+ [0-9]+ -?[0-9]+\n", text):
    sys.exit(43)
a, b, c = map(int, text.split())
sys.exit(42 if 1 <= a <= 10**9 and 1 <= b <= 10**9 and abs(c) <= 10**9 else 43)
