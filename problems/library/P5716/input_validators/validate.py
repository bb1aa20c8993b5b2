"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"\d+ \d+\n", text):
    sys.exit(43)
year, month = map(int, text.split())
sys.exit(42 if 1583 <= year <= 2020 and 1 <= month <= 12 else 43)
