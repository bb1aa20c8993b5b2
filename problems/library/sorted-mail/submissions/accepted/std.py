# The cards of an envelope are a set of 10 out of 1000 numbers: the x-th one in the order of their greatest card.
from math import comb

role, _, *lines = open(0).read().split("\n")
for line in filter(None, lines):
    if role == "receive":
        print(sum(comb(int(card), i) for i, card in enumerate(line.split()[1:], 1)))
        continue
    x, cards = int(line), []
    top = 999
    for i in range(10, 0, -1):
        while comb(top, i) > x:
            top -= 1
        cards.append(top)
        x -= comb(top, i)
        top -= 1
    print(10, *cards)
