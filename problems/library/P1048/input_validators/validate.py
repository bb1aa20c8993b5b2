"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"(\d+ \d+\n)+", text):
    sys.exit(43)
(time, count), *herbs = [tuple(map(int, line.split())) for line in text.splitlines()]
valid = 1 <= time <= 1000 and 1 <= count <= 100 and len(herbs) == count
sys.exit(42 if valid and all(1 <= x <= 100 for herb in herbs for x in herb) else 43)
