"""gen.py n=… m=… seed=… [cycle=1]: wishes that a hidden order fulfils; with a cycle one of them is there the other way, too."""

import random
import sys

options = {name: int(value) for name, value in (argument.split("=") for argument in sys.argv[1:])}
n, m = options["n"], options["m"]
random.seed(options["seed"])
order = list(range(1, n + 1))
random.shuffle(order)
wishes = []
while len(wishes) < m:
    i = random.randrange(n - 1)
    wishes.append((order[i], order[random.randint(i + 1, min(n - 1, i + 50))]))
if options.get("cycle"):
    wishes[-1] = wishes[0][::-1]
random.shuffle(wishes)
print(n, m)
print("\n".join(f"{u} {v}" for u, v in wishes))
