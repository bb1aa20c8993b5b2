"""Fenwick tree test: gen.py n=… m=… seed=… [value=…] [queries=percent] [shape=random|whole|ends]

`whole` queries (nearly) the whole sequence, `ends` touches its first and last few positions only.
"""

import random
import sys

options = dict(argument.split("=") for argument in sys.argv[1:])
n, m = int(options["n"]), int(options["m"])
value = int(options.get("value", 1000))
queries = int(options.get("queries", 50))
shape = options.get("shape", "random")

random.seed(int(options["seed"]))


def below(bound: int) -> int:
    return int(random.random() * bound)


def position() -> int:
    if shape == "ends":
        near = below(min(n, 5))
        return near + 1 if below(2) else n - near
    return below(n) + 1


lines = [f"{n} {m}", " ".join([str(below(2 * value + 1) - value) for _ in range(n)])]
for number in range(m):
    if number < m - 1 and below(100) >= queries:
        lines.append(f"1 {position()} {below(2 * value + 1) - value}")
        continue
    x, y = position(), position()
    if shape == "whole":
        x, y = below(min(n, 100)) + 1, n - below(min(n, 100))
    lines.append(f"2 {x} {y}" if x <= y else f"2 {y} {x}")
sys.stdout.write("\n".join(lines) + "\n")
