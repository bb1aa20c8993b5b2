"""Random heaps: `gen.py n=N low=L high=H seed=S`.

Made the secret tests *-random: `n=10 low=1 high=20 seed=1`, `n=100 low=1 high=20000 seed=2`, `n=999 low=1 high=3 seed=3`.
"""

import random
import sys

args = {key: int(value) for key, value in (arg.split("=") for arg in sys.argv[1:])}
random.seed(args["seed"])
print(args["n"])
print(*(random.randint(args["low"], args["high"]) for _ in range(args["n"])))
