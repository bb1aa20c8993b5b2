# Subtracts prices that no floating-point number holds.
a, b = map(int, input().split())
money, pens = a + b / 10, 0
while money >= 1.9:
    money -= 1.9
    pens += 1
print(pens)
