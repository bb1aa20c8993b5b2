"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"\d+ \d+\n([12] \d+ \d+\n)+", text):
    sys.exit(43)
n, m, *numbers = map(int, text.split())
valid = 1 <= n <= 2 * 10**5 and 1 <= m <= 10**6 and len(numbers) == 3 * m and 2 in numbers[::3]
sys.exit(42 if valid and all(1 <= x <= n for xs in (numbers[1::3], numbers[2::3]) for x in xs) else 43)
