"""n, then n different weights."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"[0-9]{1,4}\n[0-9]{1,9}(?: [0-9]{1,9})*\n", text):
    sys.exit(43)
count, *weights = map(int, text.split())
sys.exit(42 if 2 <= count <= 1000 and len(weights) == len(set(weights)) == count else 43)
