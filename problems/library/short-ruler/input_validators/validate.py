"""One line: n, and the length of the shortest ruler that is known."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"[1-9][0-9]? [1-9][0-9]{0,2}\n", text):
    sys.exit(43)
sys.exit(42 if 2 <= int(text.split()[0]) <= 20 else 43)
