"""Random sections: `gen.py l=L m=M width=W seed=S`, each at most W long.

Made the secret tests *-random: `l=50 m=5 width=10 seed=1`, `l=10000 m=100 width=150 seed=2`,
`l=10000 m=100 width=60 seed=3` and `l=9999 m=100 width=2 seed=4`.
"""

import random
import sys

from cyaron import Vector

args = {key: int(value) for key, value in (arg.split("=") for arg in sys.argv[1:])}
random.seed(args["seed"])
length, count = args["l"], args["m"]
print(length, count)
for left, width in Vector.random_repeatable_vector(count, [(0, length), (0, args["width"])]):
    print(left, min(length, left + width))
