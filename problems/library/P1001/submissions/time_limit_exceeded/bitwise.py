# Addition by xor and carry: with Python's unbounded integers the carry of numbers of different sign never runs out.
a, b = map(int, input().split())
while b:
    a, b = a ^ b, (a & b) << 1
print(a)
