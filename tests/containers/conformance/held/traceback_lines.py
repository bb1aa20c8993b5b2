import sys


class Odd(Exception):
    def __str__(self):
        return "odd \u4f60\u597d"


def inner(depth):
    if depth == 0:
        raise Odd
    inner(depth - 1)


print("before")
try:
    inner(3)
except Odd:
    sys.stdout.write("no end of line")
    {}["missing"]
