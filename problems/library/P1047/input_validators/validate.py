"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"(\d+ \d+\n)+", text):
    sys.exit(43)
(length, count), *sections = [tuple(map(int, line.split())) for line in text.splitlines()]
valid = 1 <= length <= 10**4 and 1 <= count <= 100 and len(sections) == count
sys.exit(42 if valid and all(0 <= u <= v <= length for u, v in sections) else 43)
