"""A seed; then how many numbers, and the numbers, one a line."""

import re
import sys

lines = sys.stdin.read().split("\n")
if lines.pop() != "" or not all(re.fullmatch(r"0|[1-9][0-9]{0,18}", line) for line in lines):
    sys.exit(43)
seed, count, *numbers = map(int, lines)
sys.exit(42 if 1 <= count <= 100 and len(numbers) == count and max(numbers) < 1 << 60 else 43)
