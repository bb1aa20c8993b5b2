"""gen.py n=… k=… seed=… [most=…]: random numbers from -most to most."""

import random
import sys

options = {name: int(value) for name, value in (argument.split("=") for argument in sys.argv[1:])}
n, k, most = options["n"], options["k"], options.get("most", 10**9)
random.seed(options["seed"])
print(n, k)
print(*(random.randint(-most, most) for _ in range(n)))
