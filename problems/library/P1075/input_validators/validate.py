"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"\d+\n", text):
    sys.exit(43)
n = int(text)
least = next((p for p in range(2, 44722) if n % p == 0), n)
other = n // least
prime = other > 1 and all(other % p for p in range(2, 44722) if p * p <= other)
sys.exit(42 if 6 <= n <= 2 * 10**9 and least < other and prime else 43)
