"""A triangle: `gen.py rows=R high=H seed=S`, numbers in [0, H].

Made the secret tests *-random: `rows=8 high=9 seed=1`, `rows=30 high=100 seed=2` and `rows=60 high=100 seed=3`.
"""

import random
import sys

args = {key: int(value) for key, value in (arg.split("=") for arg in sys.argv[1:])}
random.seed(args["seed"])
print(args["rows"])
for row in range(1, args["rows"] + 1):
    print(*(random.randint(0, args["high"]) for _ in range(row)))
