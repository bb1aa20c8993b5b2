"""A module that was there ahead, asked for in other ways."""

import importlib
import importlib.util
import sys

spec = importlib.util.find_spec("heapq")
print(spec.name, spec.origin, spec.submodule_search_locations, "heapq" in sys.modules)
import heapq

print(heapq.__spec__.loader, heapq.__spec__.origin, heapq.__loader__ is heapq.__spec__.loader, heapq.__file__)
print(importlib.reload(heapq) is heapq, heapq.heappop([3]))
del sys.modules["heapq"]
again = importlib.import_module("heapq")
print(again is heapq, again.__spec__.loader)
import random

random.seed(7)
import collections
import copy
import typing

import random as same

print(same is random, random.random(), random.sample(range(9), 3), copy.copy(collections.Counter("aab")))
sys.modules["bisect"] = None
try:
    import bisect
except ImportError as error:
    print(error)
print(typing.get_type_hints(lambda: 0), isinstance(collections.OrderedDict(), collections.abc.Mapping))
