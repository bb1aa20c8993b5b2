"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"(\d+ \d+ \d+\n){2,}", text):
    sys.exit(43)
n, m, s, *numbers = map(int, text.split())
valid = 1 <= n <= 10**4 and 1 <= m <= 5 * 10**5 and 1 <= s <= n and len(numbers) == 3 * m
valid = valid and all(1 <= x <= n for ends in (numbers[::3], numbers[1::3]) for x in ends)
sys.exit(42 if valid and sum(numbers[2::3]) < 2**31 else 43)
