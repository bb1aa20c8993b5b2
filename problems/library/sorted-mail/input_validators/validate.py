"""send, t, and t numbers, a line each."""

import re
import sys

lines = sys.stdin.read().split("\n")
if len(lines) < 4 or lines[0] != "send" or lines[-1] or not re.fullmatch(r"[1-9][0-9]{0,3}", lines[1]):
    sys.exit(43)
numbers = lines[2:-1]
well = all(re.fullmatch(r"0|[1-9][0-9]{0,18}", x) and int(x) <= 10**18 for x in numbers)
sys.exit(42 if well and len(numbers) == int(lines[1]) <= 1000 else 43)
