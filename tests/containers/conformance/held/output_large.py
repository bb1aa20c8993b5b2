import os
import sys

os.write(1, b"first\n")
print("x" * 3_000_000)
for number in range(20_000):
    print(number, file=sys.stderr if number % 1000 == 0 else sys.stdout)
sys.stdout.write("no end")
