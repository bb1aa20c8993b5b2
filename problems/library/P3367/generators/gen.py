"""Operations on sets: `gen.py n=N m=M shape=SHAPE seed=S`.

    random    random operations, two in five of them unions
    parity    unions join only elements that are both odd or both even; then questions
    rising    unions (1,2), (2,3), … and then questions about the first elements
    falling   unions (2,1), (3,2), … and then questions about the last elements

Made the secret tests *-random and *-parity: `n=10 m=30 shape=random seed=1`, `n=300 m=600 shape=random seed=2` and
`n=100 m=400 shape=parity seed=3`.
"""

import random
import sys

args = dict(arg.split("=") for arg in sys.argv[1:])
n, m, shape = int(args["n"]), int(args["m"]), args["shape"]
random.seed(int(args["seed"]))


def draw(limit: int) -> int:
    """An integer in [1, limit]; several times as fast as randint."""
    return int(random.random() * limit) + 1


def operations() -> list[str]:
    match shape:
        case "random":
            return [f"{1 if random.random() < 0.4 else 2} {draw(n)} {draw(n)}" for _ in range(m)]
        case "parity":
            unions = [(draw(n), draw(n // 2)) for _ in range(m // 2)]
            joined = [f"1 {x} {2 * y - x % 2}" for x, y in unions]
            return joined + [f"2 {draw(n)} {draw(n)}" for _ in range(m - len(joined))]
        case "rising":
            return [f"1 {x} {x + 1}" for x in range(1, n)] + [f"2 {draw(10)} {draw(10)}" for _ in range(m - n + 1)]
        case "falling":
            asked = [f"2 {n + 1 - draw(10)} {n + 1 - draw(10)}" for _ in range(m - n + 1)]
            return [f"1 {x + 1} {x}" for x in range(1, n)] + asked
        case _:
            sys.exit(f"unknown shape {shape!r}")


sys.stdout.write(f"{n} {m}\n" + "\n".join(operations()) + "\n")
