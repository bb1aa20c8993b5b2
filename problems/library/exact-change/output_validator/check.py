"""check.py INPUT ANSWER FEEDBACK_DIR < OUTPUT: exit 42 if the coins pay the sum, 43 if not."""

import math
import re
import sys


def end(code, message):
    with open(sys.argv[3] + "judgemessage.txt", "w") as file:
        file.write(message)
    sys.exit(code)


with open(sys.argv[1]) as file:
    a, b, c = map(int, file.read().split())
words = sys.stdin.buffer.read(1 << 16).split()
if words == [b"NO"]:
    end(42 if c % math.gcd(a, b) else 43, "NO")
if len(words) != 2 or not all(re.fullmatch(rb"-?[0-9]{1,19}", word) for word in words):
    end(43, "neither NO nor two integers")
x, y = map(int, words)
if max(abs(x), abs(y)) > 10**18:
    end(43, "a number is too large")
if a * x + b * y != c:
    end(43, f"{a} * {x} + {b} * {y} is {a * x + b * y}, not {c}")
end(42, "")
