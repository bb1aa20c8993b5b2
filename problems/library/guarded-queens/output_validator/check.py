"""Checks a placement of queens."""

import sys
from pathlib import Path

board = Path(sys.argv[1]).read_text().split()[1:]
feedback = Path(sys.argv[3])
n = len(board)


def refuse(why):
    (feedback / "judgemessage.txt").write_text(why)
    sys.exit(43)


words = sys.stdin.buffer.read(1 << 16).split()
if len(words) != n or any(len(word) > 3 or not word.isdigit() for word in words):
    refuse(f"not {n} columns")
columns = [int(word) - 1 for word in words]
for row, column in enumerate(columns):
    if not 0 <= column < n:
        refuse(f"row {row + 1}: there is no column {column + 1}")
    if board[row][column] == "#":
        refuse(f"row {row + 1}: the queen stands in a hole")
for what, lines in (
    ("column", columns),
    ("diagonal", [row + column for row, column in enumerate(columns)]),
    ("diagonal", [row - column for row, column in enumerate(columns)]),
):
    if len(set(lines)) != n:
        refuse(f"two queens stand on one {what}")
sys.exit(42)
