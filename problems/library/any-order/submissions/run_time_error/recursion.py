# Python's recursion ends at a thousand.
import sys

n, m, *rest = map(int, sys.stdin.buffer.read().split())
after = [[] for _ in range(n + 1)]
for i in range(0, 2 * m, 2):
    after[rest[i]].append(rest[i + 1])
state, order = [0] * (n + 1), []


def visit(u):
    state[u] = 1
    for v in after[u]:
        if state[v] == 1:
            print("IMPOSSIBLE")
            sys.exit()
        if state[v] == 0:
            visit(v)
    state[u] = 2
    order.append(u)


for u in range(1, n + 1):
    if state[u] == 0:
        visit(u)
print(*reversed(order))
