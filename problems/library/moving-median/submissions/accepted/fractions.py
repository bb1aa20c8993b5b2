import bisect
from fractions import Fraction


def moving_median(numbers, width):
    window, medians = [], []
    for position, number in enumerate(numbers):
        bisect.insort(window, number)
        if position >= width:
            del window[bisect.bisect_left(window, numbers[position - width])]
        if position >= width - 1:
            medians.append(round(float(Fraction(window[(width - 1) // 2] + window[width // 2], 2)), 7))
    return medians
