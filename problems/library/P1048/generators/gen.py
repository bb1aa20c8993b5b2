"""Random herbs: `gen.py t=T m=M low=L high=H seed=S`, times and worths in [L, H].

Made the secret tests *-random and *-heavy: `t=20 m=8 low=1 high=10 seed=1`, `t=100 m=30 low=1 high=40 seed=2`,
`t=1000 m=100 low=1 high=100 seed=3`, `t=1000 m=100 low=10 high=30 seed=4` and `t=1000 m=100 low=90 high=100 seed=5`.
"""

import random
import sys

args = {key: int(value) for key, value in (arg.split("=") for arg in sys.argv[1:])}
random.seed(args["seed"])
print(args["t"], args["m"])
for _ in range(args["m"]):
    print(random.randint(args["low"], args["high"]), random.randint(args["low"], args["high"]))
