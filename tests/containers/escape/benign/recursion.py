# Shows: a recursion of 50 000 calls in a thread with a stack of 200 MB
import sys
import threading

sys.setrecursionlimit(200000)
threading.stack_size(200 * 1024 * 1024)


def down(value, depth):
    return value if depth == 0 else down(value, depth - 1)


def main():
    a, b = map(int, input().split())
    print(down(a + b, 50000))


thread = threading.Thread(target=main)
thread.start()
thread.join()
