# A tournament: the second heaviest lost to the heaviest.
def heavier(a, b):
    print("?", a, b, flush=True)
    return int(input())


lost = {i: [] for i in range(1, int(input()) + 1)}
left = list(lost)
while len(left) > 1:
    winners = left[len(left) & ~1 :]
    for a, b in zip(left[::2], left[1::2]):
        winner = heavier(a, b)
        lost[winner].append(a + b - winner)
        winners.append(winner)
    left = winners
first = left[0]
second, *others = lost[first]
for other in others:
    second = heavier(second, other)
print("!", first, second)
