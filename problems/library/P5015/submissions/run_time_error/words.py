# Expects one word or two.
words = input().split()
match len(words):
    case 1:
        (first,), second = words, ""
    case _:
        first, second = words
print(len(first) + len(second))
