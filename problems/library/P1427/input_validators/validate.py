"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"(\d+ ){1,100}0\n", text):
    sys.exit(43)
*numbers, end = map(int, text.split())
sys.exit(42 if all(1 <= x < 2**31 for x in numbers) else 43)
