"""Matrix test: gen.py n=… k=… seed=… [low=…] [high=…]

Elements are random between `low` and `high` (-1000 and 1000 by default).
"""

import random
import sys

options = dict(argument.split("=") for argument in sys.argv[1:])
n, k = int(options["n"]), int(options["k"])
low, high = int(options.get("low", -1000)), int(options.get("high", 1000))

random.seed(int(options["seed"]))

lines = [f"{n} {k}"]
for _ in range(n):
    lines.append(" ".join(str(random.randint(low, high)) for _ in range(n)))
sys.stdout.write("\n".join(lines) + "\n")
