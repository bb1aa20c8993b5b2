"""Rising numbers and questions: `gen.py n=N q=Q high=H seed=S [low=L]`, all in [0, H], the questions from L on.

Made the secret test 07-random: `n=20 q=20 high=15 seed=1`.
"""

import random
import sys

args = {key: int(value) for key, value in (arg.split("=") for arg in sys.argv[1:])}
random.seed(args["seed"])
n, q, high, low = args["n"], args["q"], args["high"], args.get("low", 0)
print(n, q)
print(*sorted(random.randint(0, high) for _ in range(n)))
print(*(random.randint(low, high) for _ in range(q)))
