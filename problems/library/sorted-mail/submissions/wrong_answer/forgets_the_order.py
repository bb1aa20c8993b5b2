# Digits in the order in which they stand: they come back sorted.
role, _, *lines = open(0).read().split("\n")
for line in filter(None, lines):
    if role == "send":
        x, cards = int(line), []
        while not cards or x:
            cards.append(x % 1000)
            x //= 1000
        print(len(cards), *cards)
    else:
        x = 0
        for card in reversed(line.split()[1:]):
            x = x * 1000 + int(card)
        print(x)
