"""Numbers and ranges: `gen.py n=N q=Q high=H seed=S`, numbers in [1, H].

Made the secret test 06-random: `n=20 q=20 high=10000 seed=1`.
"""

import random
import sys

args = {key: int(value) for key, value in (arg.split("=") for arg in sys.argv[1:])}
random.seed(args["seed"])
n = args["n"]
print(n)
print(*(random.randint(1, args["high"]) for _ in range(n)))
print(args["q"])
for _ in range(args["q"]):
    print(*sorted((random.randint(1, n), random.randint(1, n))))
