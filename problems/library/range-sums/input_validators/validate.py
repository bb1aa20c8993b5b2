"""n and q; n integers; q ranges."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"(-?[0-9]+( -?[0-9]+)*\n)+", text):
    sys.exit(43)
head, values, *ranges = ([int(word) for word in line.split()] for line in text.splitlines())
if len(head) != 2:
    sys.exit(43)
n, q = head
right = 1 <= n <= 200000 and 1 <= q <= 200000 and len(values) == n and len(ranges) == q
right = right and all(abs(value) <= 10**9 for value in values)
sys.exit(42 if right and all(len(one) == 2 and 1 <= one[0] <= one[1] <= n for one in ranges) else 43)
