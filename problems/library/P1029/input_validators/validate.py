"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"\d+ \d+\n", text):
    sys.exit(43)
x, y = map(int, text.split())
sys.exit(42 if 2 <= x <= y <= 10**5 else 43)
