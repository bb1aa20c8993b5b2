"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"\d+ \d+\n(\d+ )*\d+\n(\d+ )*\d+\n", text):
    sys.exit(43)
head, first, second = (list(map(int, line.split())) for line in text.splitlines())
fits = 1 <= len(first) <= 10**5 and 1 <= len(second) <= 10**5 and head == [len(first), len(second)]
sys.exit(42 if fits and first == sorted(first) and max(*first, *second) <= 10**9 else 43)
