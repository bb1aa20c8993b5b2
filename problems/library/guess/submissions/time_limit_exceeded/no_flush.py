# Python writes to a pipe when its buffer is full, or when input() is called: the interactor sees no guess.
import sys

low, high = 1, int(sys.stdin.readline())
while low < high:
    middle = (low + high) // 2
    print("?", middle)
    answer = sys.stdin.readline().strip()
    if answer == "=":
        low = high = middle
    elif answer == "<":
        high = middle - 1
    else:
        low = middle + 1
print("!", low)
