# Talks to the user.
a, b = map(int, input("a b: ").split())
print("sum =", a + b)
