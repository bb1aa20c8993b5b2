import sys
import weakref


class Thing:
    pass


thing = Thing()
sys.told = weakref.ref(thing, print)
