# Shows: PyPy: a busy loop, lists, input by sys.stdin
# Language: pypy3
import sys

a, b = map(int, sys.stdin.readline().split())
table = [0] * 1000000
for i in range(1000000):
    table[i] = i ^ 1
print(a + b + sum(table) - sum(range(1000000)))
