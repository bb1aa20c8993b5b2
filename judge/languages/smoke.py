import bisect
import collections
import heapq
import math
import sys
import threading


def main():
    numbers = collections.deque(map(int, sys.stdin.read().split()))
    heap = list(numbers)
    heapq.heapify(heap)
    if bisect.bisect(sorted(heap), max(numbers)) != len(heap) or math.gcd(*heap) != 1:
        sys.exit("wrong sums")
    try:
        raise KeyError("caught")
    except KeyError:
        print(sum(numbers))


thread = threading.Thread(target=main)
thread.start()
thread.join()
