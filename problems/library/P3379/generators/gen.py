"""Tree test: gen.py n=… m=… seed=… [shape=random|chain|star|broom|shallow|comb|binary] [queries=random|deep|near]

Nodes get random names, edges come in random order and direction, and the root is a random name too.

    random   each node hangs below a random earlier one: logarithmic depth
    chain    depth n
    star     depth 1
    broom    half a chain, half a random tree around it
    shallow  below one of the five nodes before it: depth about n / 3
    comb     a chain of n / 2 nodes with a leaf on each
    binary   the complete binary tree

Queries ask for any nodes, for two of the last tenth (`deep`), or for two that stand next to each other (`near`).
"""

import random
import sys

options = dict(argument.split("=") for argument in sys.argv[1:])
n, m = int(options["n"]), int(options["m"])
shape, queries = options.get("shape", "random"), options.get("queries", "random")

random.seed(int(options["seed"]))


def below(bound: int) -> int:
    return int(random.random() * bound)


FATHERS = {
    "random": lambda node: 1 + below(node - 1),
    "chain": lambda node: node - 1,
    "star": lambda node: 1,
    "broom": lambda node: node - 1 if node <= n // 2 else 1 + below(node - 1),
    "shallow": lambda node: max(1, node - 1 - below(5)),
    "comb": lambda node: node - 1 if node <= n // 2 else node - n // 2,
    "binary": lambda node: node // 2,
}

father = FATHERS[shape]
edges = [(father(node), node) for node in range(2, n + 1)]
name = list(range(1, n + 1))
random.shuffle(name)
name.insert(0, 0)
random.shuffle(edges)

lines = [f"{n} {m} {name[1]}"]
for x, y in edges:
    lines.append(f"{name[x]} {name[y]}" if random.random() < 0.5 else f"{name[y]} {name[x]}")
for _ in range(m):
    if queries == "deep":
        a, b = n - below((n + 9) // 10), n - below((n + 9) // 10)
    elif queries == "near":
        a = 1 + below(n)
        b = max(1, a - below(3))
    else:
        a, b = 1 + below(n), 1 + below(n)
    lines.append(f"{name[a]} {name[b]}")
sys.stdout.write("\n".join(lines) + "\n")
