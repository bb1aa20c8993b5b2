"""Sieve test: gen.py n=… primes=<number of primes up to n> q=… seed=… [shape=random|last|all]

Queries are random, or among the last ten primes (`last`), or each of 1, 2, 3, … q in random order (`all`).
"""

import random
import sys

options = dict(argument.split("=") for argument in sys.argv[1:])
n, primes, q = int(options["n"]), int(options["primes"]), int(options["q"])
shape = options.get("shape", "random")

random.seed(int(options["seed"]))

if shape == "all":
    queries = list(range(1, q + 1))
    random.shuffle(queries)
elif shape == "last":
    queries = [primes - int(random.random() * min(10, primes)) for _ in range(q)]
else:
    queries = [1 + int(random.random() * primes) for _ in range(q)]
sys.stdout.write(f"{n} {q}\n" + "\n".join(map(str, queries)) + "\n")
