"""Numbers and a zero: `gen.py n=N high=H seed=S`, numbers in [1, H].

Made the secret tests *-random: `n=10 high=99 seed=1` and `n=100 high=2147483647 seed=2`.
"""

import random
import sys

args = {key: int(value) for key, value in (arg.split("=") for arg in sys.argv[1:])}
random.seed(args["seed"])
print(*(random.randint(1, args["high"]) for _ in range(args["n"])), 0)
