"""gen.py n=… q=… seed=… [width=…]: random numbers and ranges; all ranges at least `width` wide."""

import random
import sys

options = {name: int(value) for name, value in (argument.split("=") for argument in sys.argv[1:])}
n, q, width = options["n"], options["q"], options.get("width", 1)
random.seed(options["seed"])
lines = [f"{n} {q}", " ".join(str(random.randint(-(10**9), 10**9)) for _ in range(n))]
for _ in range(q):
    left = random.randint(1, n - width + 1)
    lines.append(f"{left} {random.randint(left + width - 1, n)}")
print("\n".join(lines))
