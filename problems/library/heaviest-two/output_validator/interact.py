"""Compares stones, and scores by the number of comparisons. Arguments: input, answer, feedback directory."""

import re
import sys
from pathlib import Path
from typing import NoReturn

MOST = 5000


def end(code: int, message: str, score: float = 0.0) -> NoReturn:
    feedback = Path(sys.argv[3])
    feedback.joinpath("judgemessage.txt").write_text(message)
    if code == 42:
        feedback.joinpath("score_multiplier.txt").write_text(str(score))
    sys.exit(code)


count, *weights = map(int, Path(sys.argv[1]).read_text().split())
heaviest = sorted(range(1, count + 1), key=lambda stone: -weights[stone - 1])[:2]
compared = 0
print(count, flush=True)
while True:
    line = sys.stdin.readline(100)
    match = re.fullmatch(r"([?!]) ([0-9]{1,9}) ([0-9]{1,9})\s*", line)
    if not line:
        end(43, f"the program wrote nothing more after {compared} comparisons")
    if match is None:
        end(43, f"no comparison and no answer: {line.strip()!r}")
    a, b = int(match[2]), int(match[3])
    if not (1 <= a <= count and 1 <= b <= count and a != b):
        end(43, f"no two stones: {line.strip()!r}")
    if match[1] == "!":
        break
    compared += 1
    if compared > MOST:
        end(43, f"more than {MOST} comparisons")
    print(a if weights[a - 1] > weights[b - 1] else b, flush=True)
if [a, b] != heaviest:
    end(43, f"answered {a} {b}, right is {heaviest[0]} {heaviest[1]}")
least = count + (count - 1).bit_length() - 2
end(42, f"{compared} comparisons", 1.0 if compared <= least else 0.6 if compared <= 2 * count else 0.3)
