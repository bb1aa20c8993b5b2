"""Sorts the cards of each envelope. The directory of feedback remembers the numbers from the first pass to the second."""

import sys
from pathlib import Path

CARDS, MOST = 10, 999


def refuse(why):
    (feedback / "judgemessage.txt").write_text(why)
    sys.exit(43)


def number(word, most):
    """The word as a plain number up to `most`; it may be anything."""
    if not (word.isascii() and word.isdigit() and len(word) <= 19 and int(word) <= most):
        refuse(f"{word[:40]!r} is no number from 0 to {most}")
    return int(word)


def lines_of(text, count):
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if len(lines) != count:
        refuse(f"{len(lines)} lines instead of {count}")
    return lines


def envelope(line):
    k, *cards = (number(word, MOST) for word in line[: CARDS + 2])
    if not 1 <= k <= CARDS or len(line) != k + 1 or len(set(cards)) != k:
        refuse("an envelope holds from 1 to 10 different cards, behind their number")
    return " ".join(map(str, [k, *sorted(cards)]))


given, _, feedback = sys.argv[1:4]
feedback = Path(feedback)
numbers = feedback / "numbers"
role, _, *words = Path(given).read_text().split()
text = sys.stdin.buffer.read(1 << 20).decode("ascii", "replace")
if role == "send":
    envelopes = [envelope(line) for line in lines_of(text, len(words))]
    numbers.write_text(" ".join(words))
    (feedback / "nextpass.in").write_text("\n".join(["receive", str(len(words)), *envelopes, ""]))
    sys.exit(42)
sent = numbers.read_text().split()
found = lines_of(text, len(sent))
for place, (x, line) in enumerate(zip(sent, found), 1):
    if len(line) != 1 or number(line[0], 10**18) != int(x):
        refuse(f"message {place} was {x}, not {' '.join(line)[:40]!r}")
sys.exit(42)
