"""Three points that lie on no line."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"(-?[0-9]+ -?[0-9]+\n){3}", text):
    sys.exit(43)
a, b, c, d, e, f = numbers = list(map(int, text.split()))
sys.exit(42 if max(map(abs, numbers)) <= 1000 and (c - a) * (f - b) != (e - a) * (d - b) else 43)
