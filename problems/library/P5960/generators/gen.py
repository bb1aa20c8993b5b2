"""Difference constraints: gen.py n=… m=… seed=… [shape=random|chain|islands] [cycle=length] [slack=…] [step=…]

Inequalities are made around a hidden solution, each with up to `slack` to spare, so that they can be satisfied, unless
`cycle` asks for that many of them to contradict each other, by 1 in all.

    random   between random unknowns
    chain    x_i - x_{i+1} <= step (-1), from the first to the last: the longest way for values to travel
    islands  groups of ten unknowns that have nothing to do with each other
"""

import random
import sys

options = dict(argument.split("=") for argument in sys.argv[1:])
n, m = int(options["n"]), int(options["m"])
cycle, slack = int(options.get("cycle", 0)), int(options.get("slack", 100))
shape = options.get("shape", "random")

random.seed(int(options["seed"]))
randint = random.randint

hidden = [randint(0, 10000) for _ in range(n + 1)]


def inequality(c: int, other: int, spare: int) -> tuple[int, int, int]:
    return c, other, min(10000, hidden[c] - hidden[other] + spare)


def island(c: int) -> int:
    first = (c - 1) // 10 * 10 + 1
    return randint(first, min(n, first + 9))


rows = []
if shape == "chain":
    step = int(options.get("step", -1))
    rows = [(i, i + 1, step) for i in range(1, n)]
elif shape == "islands":
    while len(rows) < m - cycle:
        c = randint(1, n)
        other = island(c)
        if other != c:
            rows.append(inequality(c, other, randint(0, slack)))
else:
    while len(rows) < m - cycle:
        c, other = randint(1, n), randint(1, n)
        if other != c:
            rows.append(inequality(c, other, randint(0, slack)))
if cycle:
    round_trip = list(range(1, n + 1))
    random.shuffle(round_trip)
    round_trip = round_trip[:cycle]
    for i, c in enumerate(round_trip):
        rows.append(inequality(c, round_trip[i - 1], 0))
    c, other, y = rows.pop()
    rows.append((c, other, y - 1 if y > -10000 else y))
if shape != "chain":
    random.shuffle(rows)
sys.stdout.write("\n".join([f"{n} {len(rows)}"] + [f"{c} {other} {y}" for c, other, y in rows]) + "\n")
