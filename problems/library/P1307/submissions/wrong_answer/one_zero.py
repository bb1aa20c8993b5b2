# Takes one zero away, however many there are.
n = input()
sign, digits = ("-", n[1:]) if n[0] == "-" else ("", n)
print(sign + digits[::-1].removeprefix("0"))
