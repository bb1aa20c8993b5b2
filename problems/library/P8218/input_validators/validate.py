"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"\d+\n(\d+ )*\d+\n\d+\n(\d+ \d+\n)+", text):
    sys.exit(43)
lines = text.splitlines()
n, numbers, m = int(lines[0]), list(map(int, lines[1].split())), int(lines[2])
ranges = [tuple(map(int, line.split())) for line in lines[3:]]
fits = 1 <= n == len(numbers) <= 10**5 and 1 <= m == len(ranges) <= 10**5
sys.exit(42 if fits and all(1 <= x <= 10**4 for x in numbers) and all(1 <= l <= r <= n for l, r in ranges) else 43)
