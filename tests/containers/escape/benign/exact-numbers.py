# Shows: fractions, decimal and integers of 100 000 digits
import decimal
import math
import sys
from fractions import Fraction

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)
a, b = input().split()
big = 7**100000
decimal.getcontext().prec = 50
total = Fraction(a) + Fraction(b) + (decimal.Decimal(2).sqrt() > 1) - math.gcd(big, 7) // 7
print(int(total) + len(str(big)) * 0)
