import sys

from solution import largest, pop, push

next(sys.stdin)
for line in sys.stdin:
    what, *number = line.split()
    if what == "push":
        push(int(number[0]))
    else:
        print(pop() if what == "pop" else largest())
