"""Objects that hang in modules which were there before the program."""

import builtins
import os
import sys


class Told:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("gone:", self.name, suffix)


suffix = "!"
os.told = Told("os")
sys.told = Told("sys")
builtins.told = Told("builtins")
sys.modules["told"] = Told("modules")
