# Shows: input() 100 000 times
# Problem: rows
total = 0
while True:
    try:
        total += int(input())
    except EOFError:
        break
print(total)
