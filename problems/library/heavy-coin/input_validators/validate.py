"""One line: n, and the least q with 3^q >= n."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"[1-9][0-9]{0,3} [0-9]\n", text):
    sys.exit(43)
n, q = map(int, text.split())
sys.exit(42 if n <= 2187 and 3**q >= n and (q == 0 or 3 ** (q - 1) < n) else 43)
