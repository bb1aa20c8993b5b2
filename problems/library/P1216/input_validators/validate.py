"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"\d+\n(\d+( \d+)*\n)+", text):
    sys.exit(43)
count, *rows = (list(map(int, line.split())) for line in text.splitlines())
shape = [len(row) for row in rows] == list(range(1, count[0] + 1))
sys.exit(42 if 1 <= count[0] <= 60 and shape and all(x <= 100 for row in rows for x in row) else 43)
