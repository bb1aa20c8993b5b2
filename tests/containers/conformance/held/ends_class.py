"""A class that was there before the program, and an object of it."""

import os

type(os.environ).__del__ = lambda self: print("gone")
