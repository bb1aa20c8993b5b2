# Short blocks by insertion, then bottom-up merging: bisection counts, the built-in sort merges.
import sys
from bisect import bisect_right

BLOCK = 1000
n, *numbers = map(int, sys.stdin.buffer.read().split())
count = 0
runs = []
for start in range(0, n, BLOCK):
    run = []
    for x in numbers[start : start + BLOCK]:
        place = bisect_right(run, x)
        count += len(run) - place
        run.insert(place, x)
    runs.append(run)
while len(runs) > 1:
    merged = []
    for k in range(0, len(runs) - 1, 2):
        left, right = runs[k], runs[k + 1]
        place, size = 0, len(left)
        for x in right:
            place = bisect_right(left, x, place)
            count += size - place
        left += right
        left.sort()
        merged.append(left)
    if len(runs) % 2:
        merged.append(runs[-1])
    runs = merged
print(count)
