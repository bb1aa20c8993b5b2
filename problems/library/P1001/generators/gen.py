"""Two random integers: `gen.py limit=L seed=S` draws from [-L, L].

The secret tests *-random are `limit=1000000000` with seeds 1 and 2; every test is small enough to be kept as it is.
"""

import random
import sys

args = dict(arg.split("=") for arg in sys.argv[1:])
limit = int(args["limit"])
random.seed(int(args["seed"]))
print(random.randint(-limit, limit), random.randint(-limit, limit))
