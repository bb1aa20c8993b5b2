"""A sequence to sort: `gen.py n=N max=M order=random|rising|falling|organ seed=S`, numbers in [1, M].

Made the secret tests *-random: `n=10 max=9 order=random seed=1` and `n=200 max=1000000000 order=random seed=2`.
"""

import random
import sys

args = dict(arg.split("=") for arg in sys.argv[1:])
n, top, order = int(args["n"]), int(args["max"]), args["order"]
random.seed(int(args["seed"]))
numbers = [random.randint(1, top) for _ in range(n)]
match order:
    case "rising":
        numbers.sort()
    case "falling":
        numbers.sort(reverse=True)
    case "organ":  # up and down again, like organ pipes
        numbers.sort()
        numbers = numbers[::2] + numbers[1::2][::-1]
sys.stdout.write(f"{n}\n{' '.join(map(str, numbers))}\n")
