"""gen.py n=… seed=… back=…: a tree in which each city joins one of the `back` before it, with numbers shuffled."""

import random
import sys

options = {name: int(value) for name, value in (argument.split("=") for argument in sys.argv[1:])}
n, back = options["n"], options["back"]
random.seed(options["seed"])
number = list(range(1, n + 1))
random.shuffle(number)
roads = [(number[random.randint(max(0, i - back), i - 1)], number[i]) for i in range(1, n)]
random.shuffle(roads)
print(n)
print("\n".join(f"{u} {v} {random.randint(1, 10**9)}" for u, v in roads))
