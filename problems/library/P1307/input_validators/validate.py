"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"(0|-?[1-9]\d*)\n", text):
    sys.exit(43)
sys.exit(42 if abs(int(text)) <= 10**9 else 43)
