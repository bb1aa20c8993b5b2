# The interactor has spoken, the program ends with an exception.
n = int(input())
print("?", n // (n - n))
