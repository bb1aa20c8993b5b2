"""Far beyond the stack that a launcher has, and beyond what the kernel leaves for it by default: 128 MiB."""
#: memory 1024

import functools
import pickle
import sys
import threading

sys.setrecursionlimit(10**7)


def nested(depth):
    held = []
    for _ in range(depth):
        held = [held]
    return held


print(len(pickle.dumps(nested(500_000))))


@functools.lru_cache(None)
def down(n):
    return 0 if n == 0 else 1 + down(n - 1)


print(down(60_000))
thread = threading.Thread(target=lambda: print(len(pickle.dumps(nested(100_000)))))
thread.start()
thread.join()
