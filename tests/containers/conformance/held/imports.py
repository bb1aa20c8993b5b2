import beside

print(beside.NAME, beside.__file__, beside.__spec__.origin)
import bisect, collections, decimal, fractions, functools, heapq, itertools, json, math, random, re, statistics, string

random.seed(5)
print(random.random(), decimal.Decimal(1) / 3, re.sub("a", "b", "banana"), heapq.nsmallest(2, [3, 1, 2]))
try:
    import numpy

    print(numpy.arange(10).sum(), numpy.random.default_rng(5).integers(100))
except ImportError as error:
    print(error)
try:
    import judge
except ImportError as error:
    print(error)
import nowhere
