"""Apples at random heights: `gen.py low=L high=H reach=R seed=S`.

Made the secret tests *-random: `low=100 high=200 reach=110 seed=1` and `low=125 high=155 reach=117 seed=2`.
"""

import random
import sys

args = {key: int(value) for key, value in (arg.split("=") for arg in sys.argv[1:])}
random.seed(args["seed"])
print(*(random.randint(args["low"], args["high"]) for _ in range(10)))
print(args["reach"])
