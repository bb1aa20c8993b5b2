"""`sys.path` as another list; and another way to read its directories."""

import os
import sys


def note(path):
    print("asked for", path)
    raise ImportError


with open("bisect.py", "w") as file:
    file.write("own = True\n")
sys.path = [os.getcwd(), *sys.path]
import bisect

print(bisect.own)
sys.path = sys.path[1:]
sys.path_hooks.insert(0, note)
import json

sys.path = ["nowhere"]
try:
    import copy
except ImportError as error:
    print(error)
