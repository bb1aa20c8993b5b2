"""gen.py n=… shape=random|down: one sequence."""

import random
import sys

options = dict(argument.split("=") for argument in sys.argv[1:])
n = int(options["n"])
random.seed(int(options.get("seed", 0)))
print(1)
print(n)
print(*(range(n, 0, -1) if options["shape"] == "down" else [random.randint(-(10**9), 10**9) for _ in range(n)]))
