local a, b = io.read("*n", "*n")
print(string.format("%d", a + b))
