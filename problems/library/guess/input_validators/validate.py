"""One line: n and the number x, 1 <= x <= n <= 10^6."""

import re
import sys

match = re.fullmatch(r"([1-9][0-9]{0,6}) ([1-9][0-9]{0,6})\n", sys.stdin.read())
if match is None:
    sys.exit(43)
n, x = map(int, match.groups())
if not x <= n <= 10**6:
    sys.exit(43)
sys.exit(42)
