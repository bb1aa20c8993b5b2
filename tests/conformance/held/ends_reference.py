import os
import weakref


class Thing:
    pass


thing = Thing()
os.told = weakref.ref(thing, print)
