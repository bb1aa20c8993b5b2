"""Answers guesses. Arguments: input, answer, feedback directory. Exit code 42: the number was found; 43: it was not."""

import re
import sys
from pathlib import Path
from typing import NoReturn

MOST_GUESSES = 20


def end(code: int, message: str) -> NoReturn:
    Path(sys.argv[3], "judgemessage.txt").write_text(message)
    sys.exit(code)


def say(text: object) -> None:
    print(text, flush=True)


n, x = map(int, Path(sys.argv[1]).read_text().split())
guesses = 0
say(n)
while True:
    line = sys.stdin.readline(100)
    match = re.fullmatch(r"([?!]) ([0-9]{1,9})\s*", line)
    if not line:
        end(43, f"the program wrote nothing more after {guesses} guesses")
    if match is None:
        end(43, f"no guess and no answer: {line.strip()!r}")
    number = int(match[2])
    if match[1] == "!":
        end(*((42, f"{guesses} guesses") if number == x else (43, f"answered {number}, but it was {x}")))
    guesses += 1
    if guesses > MOST_GUESSES:
        end(43, f"more than {MOST_GUESSES} guesses")
    say("<" if x < number else ">" if x > number else "=")
