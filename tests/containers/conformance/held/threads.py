import concurrent.futures
import sys
import threading
import time

lock = threading.RLock()
results = []


def work(n):
    with lock:
        results.append(n)

    def down(depth):
        return 0 if depth == 0 else 1 + down(depth - 1)

    sys.setrecursionlimit(20_000)
    return down(5_000)


with concurrent.futures.ThreadPoolExecutor(8) as pool:
    print(list(pool.map(work, range(16))), sorted(results))


def late():
    threading.main_thread().join()
    print("a thread that is not waited for by the program")


threading.Thread(target=late).start()
threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
print("end of the program")
