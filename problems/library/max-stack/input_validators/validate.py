"""How many calls; the calls, of which none needs more than the stack holds."""

import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"[0-9]+\n(push -?[0-9]+\n|pop\n|largest\n)+", text):
    sys.exit(43)
count, *calls = text.splitlines()
height = 0
for call in calls:
    height += call.startswith("push")
    if height < 1 or (call.startswith("push") and abs(int(call[5:])) > 10**9):
        sys.exit(43)
    height -= call == "pop"
sys.exit(42 if int(count) == len(calls) <= 100000 else 43)
