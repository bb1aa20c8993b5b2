# Counts only neighbours in the wrong order.
import sys

n, *numbers = map(int, sys.stdin.buffer.read().split())
print(sum(x > y for x, y in zip(numbers, numbers[1:])))
