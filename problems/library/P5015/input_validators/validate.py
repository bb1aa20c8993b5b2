"""Exit 42 if standard input is a valid test, 43 if not."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9 ]{0,98}[A-Za-z0-9])?\n", text):
    sys.exit(43)
sys.exit(42)
