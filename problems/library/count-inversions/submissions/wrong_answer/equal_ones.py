# Counts equal numbers, too.
from bisect import bisect_right, insort


def inversions(a):
    seen, found = [], 0
    for one in reversed(a):
        found += bisect_right(seen, one)
        insort(seen, one)
    return found
