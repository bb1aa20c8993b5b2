# Takes the last one that lost to the heaviest for the second heaviest.
def heavier(a, b):
    print("?", a, b, flush=True)
    return int(input())


left = list(range(1, int(input()) + 1))
while len(left) > 1:
    final = left[0], left[1]
    left = [heavier(a, b) for a, b in zip(left[::2], left[1::2])] + left[len(left) & ~1 :]
first = left[0]
print("!", first, sum(final) - first)
