import os
import weakref


class Thing:
    def __call__(self):
        pass


thing = Thing()
os.told = weakref.proxy(thing, print)
