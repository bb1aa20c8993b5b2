"""Finders of the program's own see each import, and those that only look for a module find the real one."""

import importlib.util
import runpy
import sys

print(importlib.util.find_spec("json").submodule_search_locations, importlib.util.find_spec("heapq").has_location)
spec = importlib.util.find_spec("bisect")
modules = [importlib.util.module_from_spec(spec) for _ in range(2)]
for module in modules:
    spec.loader.exec_module(module)
print(modules[0] is modules[1], "bisect" in sys.modules, runpy.run_module("string")["digits"])
from importlib.machinery import BuiltinImporter, PathFinder

print(BuiltinImporter.find_spec("itertools"), PathFinder.find_spec("enum").has_location)


class Finder:
    def find_spec(self, name, path=None, target=None):
        print("looks for", name)


sys.meta_path = [Finder(), *sys.meta_path]
import random
