# Every fourth year is a leap year.
year, month = map(int, input().split())
print([31, 28 + (year % 4 == 0), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1])
