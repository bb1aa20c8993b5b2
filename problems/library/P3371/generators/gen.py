"""A random directed graph: `gen.py n=N m=M low=L high=H seed=S`, lengths in [L, H], from a random vertex.

Made the secret tests *-random: `n=10 m=25 low=0 high=20 seed=1`, `n=100 m=150 low=0 high=1000000 seed=2` and
`n=60 m=1500 low=0 high=3 seed=3`.
"""

import random
import sys

args = {key: int(value) for key, value in (arg.split("=") for arg in sys.argv[1:])}
n, m, low = args["n"], args["m"], args["low"]
span = args["high"] - low + 1
random.seed(args["seed"])
draw = random.random  # several times as fast as randint
edges = [f"{int(draw() * n) + 1} {int(draw() * n) + 1} {int(draw() * span) + low}" for _ in range(m)]
sys.stdout.write(f"{n} {m} {random.randint(1, n)}\n" + "\n".join(edges) + "\n")
