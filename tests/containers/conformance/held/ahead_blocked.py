"""A module that was there ahead, without one that it imports, or with another in its place."""

import builtins
import sys
import types

sys.modules["_heapq"] = sys.modules["_json"] = None
import heapq
import json

print(type(heapq.heappop), json.decoder.scanner.c_make_scanner)
sys.modules["math"] = types.ModuleType("math")
try:
    import random
except ImportError as error:
    print(error)


def note(name, *arguments):
    print("imports", name)
    return real(name, *arguments)


real, builtins.__import__ = builtins.__import__, note
import string
