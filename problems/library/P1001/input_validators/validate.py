"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
valid = re.fullmatch(r"(0|-?[1-9]\d*) (0|-?[1-9]\d*)\n", text) and all(abs(int(x)) <= 10**9 for x in text.split())
sys.exit(42 if valid else 43)
