"""Exit 42 if standard input is a valid test of this problem."""

import re
import sys

match = re.fullmatch(r"(0|[1-9]\d{0,9}) (0|[1-9]\d{0,9}) ([1-9]\d{0,9})\n", sys.stdin.read(), re.ASCII)
if not match:
    sys.exit("not a line of three numbers")
a, b, p = map(int, match.groups())
sys.exit(42 if max(a, b, p) < 2**31 and a + b > 0 and p >= 2 else 43)
