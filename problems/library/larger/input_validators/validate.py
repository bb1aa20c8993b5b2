"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"-?\d+ -?\d+\n", text):
    sys.exit(43)
sys.exit(42 if all(abs(int(word)) <= 10**9 for word in text.split()) else 43)
