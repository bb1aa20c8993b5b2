"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"\d+\n(-?\d+ )*-?\d+\n", text):
    sys.exit(43)
count, *numbers = map(int, text.split())
sys.exit(42 if 1 <= count <= 100 and len(numbers) == count and all(-(10**9) <= x <= 10**9 for x in numbers) else 43)
