"""gen.py n=… seed=…: half of the calls fill the stack, the others ask for the largest number."""

import random
import sys

options = {name: int(value) for name, value in (argument.split("=") for argument in sys.argv[1:])}
n = options["n"]
random.seed(options["seed"])
print(n)
for _ in range(n // 2):
    print("push", random.randint(-(10**9), 10**9))
for _ in range(n - n // 2):
    print("largest")
