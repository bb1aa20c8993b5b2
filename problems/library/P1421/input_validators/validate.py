"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"\d+ \d\n", text):
    sys.exit(43)
a, b = map(int, text.split())
sys.exit(42 if a <= 10000 else 43)
