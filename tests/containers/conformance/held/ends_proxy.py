import sys
import weakref


class Thing:
    def __call__(self):
        pass


elsewhere = {}  # a function of this module would keep what it holds
exec("def tell(_): print('gone')", elsewhere)
thing = Thing()
sys.told = weakref.proxy(thing, elsewhere["tell"])
