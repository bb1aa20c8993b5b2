import sys

sys.stdin.buffer.read()
try:
    input("asked: ")
except EOFError as error:
    print(error)
input()
