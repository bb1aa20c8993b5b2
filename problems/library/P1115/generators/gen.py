"""A sequence: `gen.py n=N low=L high=H seed=S`, numbers in [L, H].

Made the secret test 07-random: `n=50 low=-100 high=100 seed=1`.
"""

import random
import sys

args = {key: int(value) for key, value in (arg.split("=") for arg in sys.argv[1:])}
random.seed(args["seed"])
print(args["n"])
print(*(random.randint(args["low"], args["high"]) for _ in range(args["n"])))
