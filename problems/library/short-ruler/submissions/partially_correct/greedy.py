# Each mark at the first place that measures no distance twice.
n = int(input().split()[0])
marks, distances = [0], set()
while len(marks) < n:
    x = marks[-1] + 1
    while not distances.isdisjoint(x - mark for mark in marks):
        x += 1
    distances |= {x - mark for mark in marks}
    marks.append(x)
print(*marks)
