# Tries: to crash its interpreter by recursion without end
# Control: no, it would be the crash of the machine's own interpreter
# Problem: sum
# Verdict: RE MLE TLE
import sys

sys.setrecursionlimit(1 << 30)


def deeper(n):
    return deeper(n + 1) + 1


deeper(0)
