"""Segment tree test: gen.py n=… m=… seed=… [value=…] [add=…] [positive=1] [queries=percent] [shape=random|wide|points]

`value` and `add` bound |a_i| and |k|; `positive` makes both their largest value, so that sums grow as far as they can.
"""

import random
import sys
from random import randint

options = dict(argument.split("=") for argument in sys.argv[1:])
n, m = int(options["n"]), int(options["m"])
value, add = int(options.get("value", 1000)), int(options.get("add", 1000))
positive = options.get("positive") == "1"
queries = int(options.get("queries", 50))
shape = options.get("shape", "random")

random.seed(int(options["seed"]))

lines = [f"{n} {m}"]
lines.append(" ".join(str(value if positive else randint(-value, value)) for _ in range(n)))
for number in range(m):
    if shape == "wide":
        x, y = randint(1, n // 10 + 1), randint(n - n // 10, n)
    elif shape == "points":
        x = y = randint(1, n)
    else:
        x, y = sorted((randint(1, n), randint(1, n)))
    if number == m - 1 or randint(1, 100) <= queries:
        lines.append(f"2 {x} {y}")
    else:
        lines.append(f"1 {x} {y} {add if positive else randint(-add, add)}")
sys.stdout.write("\n".join(lines) + "\n")
