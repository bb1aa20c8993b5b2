"""What most programs leave behind: the interpreter need not take it apart."""

import bisect
import collections
import functools
import heapq
import io
import itertools
import math
import re
import string
import sys

Point = collections.namedtuple("Point", "x y")


class Node:
    __slots__ = ("children", "parent")


class Graph(dict):
    @functools.lru_cache(None)
    def power(self, base):
        return base**2

    __hash__ = object.__hash__


root = Node()
root.parent, root.children = root, [Node() for _ in range(100)]
graph = Graph({number: [number + 1] for number in range(100)})
queue = collections.deque([Point(1, 2)])
heap = [3, 1, 2]
heapq.heapify(heap)
read = io.BytesIO(b"1 2").readline
text = io.StringIO("1 2")
source = open(0)
line = source.readline()
counted = collections.Counter(line)
defaults = collections.defaultdict(list)
pairs = zip(itertools.count(), map(int, "123"))
print(next(pairs), graph.power(7), bisect.bisect(heap, 2), math.gcd(4, 6), re.sub("a", "b", "aa"), read(), line)
print(string.ascii_lowercase, "not flushed", end="", file=sys.stderr)
sys.exit(3)
