#: memory 64
import functools
import sys

sys.setrecursionlimit(10**9)


@functools.lru_cache(None)
def down(n):
    return down(n + 1)


down(0)
