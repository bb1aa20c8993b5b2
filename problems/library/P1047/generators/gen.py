"""Random sections: `gen.py l=L m=M width=W seed=S`, each at most W long.

Made the secret tests *-random: `l=50 m=5 width=10 seed=1`, `l=10000 m=100 width=150 seed=2`,
`l=10000 m=100 width=60 seed=3` and `l=9999 m=100 width=2 seed=4`.
"""

import random
import sys

args = {key: int(value) for key, value in (arg.split("=") for arg in sys.argv[1:])}
random.seed(args["seed"])
length, count = args["l"], args["m"]
print(length, count)
for _ in range(count):
    left = random.randint(0, length)
    print(left, min(length, left + random.randint(0, args["width"])))
