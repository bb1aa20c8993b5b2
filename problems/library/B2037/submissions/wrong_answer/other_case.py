# Writes the words with capital letters.
print("Odd" if int(input()) % 2 else "Even")
