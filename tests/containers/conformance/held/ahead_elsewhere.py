"""Where modules are searched is the program's to say."""

import os
import sys

os.mkdir("own")
with open("own/copy.py", "w") as file:
    file.write("print('own copy')\n")
with open("own/keyword.py", "w") as file:
    file.write("print('own keyword')\nkwlist = []\niskeyword = lambda text: False\n")
sys.path.insert(0, os.path.abspath("own"))
import collections
import copy

print(collections.namedtuple("Pair", "a b")(1, 2), copy.__file__ == os.path.abspath("own/copy.py"))
sys.path.remove(os.path.abspath("own"))
sys.path.append(os.path.abspath("own"))
import heapq

print(heapq.__file__)
