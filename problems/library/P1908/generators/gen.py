"""A sequence: `gen.py n=N max=M order=random|rising|falling seed=S`, numbers in [1, M].

Made the secret tests *-random: `n=10 max=9 order=random seed=1`, `n=1000 max=1000000000 order=random seed=2` and
`n=1000 max=20 order=random seed=3`.
"""

import random
import sys

args = dict(arg.split("=") for arg in sys.argv[1:])
n, top, order = int(args["n"]), int(args["max"]), args["order"]
random.seed(int(args["seed"]))
numbers = [int(random.random() * top) + 1 for _ in range(n)]
if order != "random":
    numbers.sort(reverse=order == "falling")
sys.stdout.write(f"{n}\n{' '.join(map(str, numbers))}\n")
