"""Measures a ruler: no distance twice, and how long it is beside the shortest one that is known."""

import sys
from pathlib import Path

n, best = map(int, Path(sys.argv[1]).read_text().split())
feedback = Path(sys.argv[3])


def refuse(why):
    (feedback / "judgemessage.txt").write_text(why)
    sys.exit(43)


words = sys.stdin.buffer.read(1 << 16).split()
if len(words) != n or any(len(word) > 7 or not word.isdigit() for word in words):
    refuse(f"not {n} positions from 0 to 9999999")
marks = [int(word) for word in words]
if marks[0] != 0 or any(one >= other for one, other in zip(marks, marks[1:])):
    refuse("the positions do not begin with 0 and increase")
distances = [other - one for i, one in enumerate(marks) for other in marks[i + 1 :]]
if len(set(distances)) != len(distances):
    refuse("a distance occurs twice")
(feedback / "score_multiplier.txt").write_text(repr(min(1.0, (best / marks[-1]) ** 2)))
sys.exit(42)
