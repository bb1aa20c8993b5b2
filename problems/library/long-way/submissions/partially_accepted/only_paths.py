# Adds up all roads: right if they make one path.
import sys

n, *rest = map(int, sys.stdin.buffer.read().split())
print(sum(rest[2::3]))
