def down(n):
    return down(n + 1)


try:
    down(0)
except RecursionError as error:
    print(error)
depth = 0


def count():
    global depth
    depth += 1
    count()


try:
    count()
except RecursionError:
    print(depth)
down(0)
