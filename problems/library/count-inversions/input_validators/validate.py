"""How many sequences; each as its length and its numbers, on two lines."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"[0-9]+\n([0-9]+\n-?[0-9]+( -?[0-9]+)*\n)*", text):
    sys.exit(43)
calls, *lines = text.splitlines()
rows = [[int(word) for word in line.split()] for line in lines]
right = 1 <= int(calls) <= 20 and len(rows) == 2 * int(calls)
right = right and all(rows[i] == [len(rows[i + 1])] for i in range(0, len(rows), 2))
total = sum(map(len, rows[1::2]))
sys.exit(42 if right and total <= 100000 and all(abs(x) <= 10**9 for row in rows[1::2] for x in row) else 43)
