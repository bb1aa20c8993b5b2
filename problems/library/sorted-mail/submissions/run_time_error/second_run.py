# Reads envelopes as if they were messages.
role, _, *lines = open(0).read().split("\n")
for line in filter(None, lines):
    x = int(line)
    print(10, *(100 * i + x // 100**i % 100 for i in range(10)))
