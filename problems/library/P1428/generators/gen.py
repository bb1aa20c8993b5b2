"""A sequence: `gen.py n=N low=L high=H seed=S`, numbers in [L, H].

Made the secret tests *-random: `n=20 low=0 high=9 seed=1` and `n=100 low=0 high=1000000000 seed=2`.
"""

import random
import sys

args = {key: int(value) for key, value in (arg.split("=") for arg in sys.argv[1:])}
random.seed(args["seed"])
print(args["n"])
print(*(random.randint(args["low"], args["high"]) for _ in range(args["n"])))
