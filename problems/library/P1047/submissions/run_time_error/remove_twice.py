# list.remove raises ValueError for a tree that is already gone.
l, m = map(int, input().split())
trees = list(range(l + 1))
for _ in range(m):
    u, v = map(int, input().split())
    for tree in range(u, v + 1):
        trees.remove(tree)
print(len(trees))
