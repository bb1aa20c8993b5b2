"""Shortest path test: gen.py n=… m=… seed=… [w=…] [shape=random|tree|grid|hub|chain]

    random   a random graph behind a random tree that reaches all
    tree     a tree of n - 1 edges (m is ignored) in which each vertex hangs below a late one: long paths
    grid     ten columns of right, down and up edges: many ways of many lengths
    hub      a chain of length 0 from which each vertex reaches a hub, later ones more cheaply, and the hub reaches all
             other vertices: a queue without priorities relaxes those once for each vertex of the chain
    chain    one path, its edges listed from its end to its start, plus long detours

Vertices get random names, except in `hub` and `chain`, which are about the order of edges. Lengths are up to `w`.
"""

import random
import sys

options = dict(argument.split("=") for argument in sys.argv[1:])
n, m = int(options["n"]), int(options["m"])
w = int(options.get("w", 1000))
shape = options.get("shape", "random")

random.seed(int(options["seed"]))


def below(bound: int) -> int:
    return int(random.random() * bound)


def length() -> int:
    return below(w + 1)


Edges = list[tuple[int, int, int]]


def random_graph() -> Edges:
    edges = sorted(((random.randrange(1, v), v, length()) for v in range(2, n + 1)), key=lambda edge: edge[0])
    return edges + [(1 + below(n), 1 + below(n), length()) for _ in range(m - len(edges))]


def tree() -> Edges:
    return [(max(1, v - 1 - below(3)), v, length()) for v in range(2, n + 1)]


def grid() -> Edges:
    columns = 10
    edges = [(v, v + 1, length()) for v in range(1, n) if v % columns]
    for v in range(1, n - columns + 1):
        edges += [(v, v + columns, length())]
    edges += [(v + columns, v, length()) for v in range(1, m - len(edges) + 1)]
    return edges


def hub() -> Edges:
    chain = n * 11 // 25
    edges = []
    for v in range(1, chain + 1):
        edges += [(v, chain + 1, chain - v)]
        if v < chain:
            edges += [(v, v + 1, 0)]
    edges += [(chain + 1, v, below(400)) for v in range(chain + 2, n + 1)]
    return edges + [(1 + below(n), 1, 100) for _ in range(m - len(edges))]


def chain() -> Edges:
    edges = [(v, v + 1, 1 + below(3)) for v in range(n - 1, 0, -1)]
    for _ in range(m - len(edges)):
        u = 1 + below(n - 1)
        edges.append((u, u + 1, 4))
    return edges


edges = {"random": random_graph, "tree": tree, "grid": grid, "hub": hub, "chain": chain}[shape]()
name = list(range(n + 1))
if shape not in ("hub", "chain"):
    name = list(range(1, n + 1))
    random.shuffle(name)
    name.insert(0, 0)
    random.shuffle(edges)
lines = [f"{n} {len(edges)} {name[1]}"]
lines += [f"{name[u]} {name[v]} {weight}" for u, v, weight in edges]
sys.stdout.write("\n".join(lines) + "\n")
