"""Points: `gen.py n=N shape=SHAPE seed=S`.

    random     random points, six decimals
    vertical   points on one vertical line, in random order
    lattice    a square lattice with steps of 1000, one point a little off, so that nearly all neighbours tie
    trap       a close pair, and between its x coordinates all the other points, far away in y

Made the secret tests *-random, *-trap and *-lattice: `n=10 shape=random seed=1`, `n=300 shape=random seed=2`,
`n=200 shape=trap seed=3` and `n=225 shape=lattice seed=4`.
"""

import random
import sys

args = dict(arg.split("=") for arg in sys.argv[1:])
n, shape = int(args["n"]), args["shape"]
random.seed(int(args["seed"]))
MICRO = 10**6


def decimal(millionths: int) -> str:
    return f"{millionths // MICRO}.{millionths % MICRO:06d}"


def points() -> list[tuple[str, str]]:
    match shape:
        case "random":
            most = 10**9 * MICRO
            return [(decimal(random.randint(0, most)), decimal(random.randint(0, most))) for _ in range(n)]
        case "vertical":
            heights = list(range(0, 10**9, 10**9 // n))[:n]
            random.shuffle(heights)
            return [("123456789.5", f"{y + random.randint(0, 900)}") for y in heights]
        case "lattice":
            side = int(n**0.5)
            lattice = [(1000 * (i // side), 1000 * (i % side)) for i in range(n)]
            random.shuffle(lattice)
            (x, y), *rest = lattice
            return [(f"{x}.25", f"{y}.125")] + [(str(x), str(y)) for x, y in rest]
        case "trap":
            step = 999_000_000 // n  # in y; in x all lie within 4, and the pair 6 apart around them
            far = [(decimal(500_000_000 * MICRO + 4 * MICRO * i // n), str(1000 + step * i)) for i in range(n - 2)]
            return [("499999999", "5"), *far, ("500000005", "5")]
        case _:
            sys.exit(f"unknown shape {shape!r}")


sys.stdout.write(f"{n}\n" + "\n".join(f"{x} {y}" for x, y in points()) + "\n")
