"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
number = r"\d+(\.\d{1,6})?"
if not re.fullmatch(rf"\d+\n({number} {number}\n)+", text):
    sys.exit(43)
count, *numbers = text.split()
valid = 2 <= int(count) <= 2 * 10**5 and len(numbers) == 2 * int(count)
sys.exit(42 if valid and all(float(x) <= 10**9 for x in numbers) else 43)
