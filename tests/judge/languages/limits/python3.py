import sys

sys.setrecursionlimit(10**6)
what, n = input().split()
n = int(n)


def depth(n):
    return 1 + depth(n - 1) if n else 0


if what == "memory":
    n = len([bytearray(b"x") * (1 << 20) for _ in range(n)])
elif what == "depth":
    n = depth(n)
else:
    raise ValueError("fail")
print("done", n)
