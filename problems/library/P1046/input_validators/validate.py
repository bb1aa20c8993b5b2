"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"(\d+ ){9}\d+\n\d+\n", text):
    sys.exit(43)
*apples, reach = map(int, text.split())
sys.exit(42 if all(100 <= apple <= 200 for apple in apples) and 100 <= reach <= 120 else 43)
