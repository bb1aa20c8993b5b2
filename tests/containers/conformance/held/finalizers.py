import atexit
import gc
import threading
import weakref

gc.disable()  # when collections come is not the same


class Node:
    def __init__(self, name):
        self.name = name
        self.ring = self

    def __del__(self):
        print("gone:", self.name, kept.name if kept else kept)


def function():
    try:
        yield 1
    finally:
        print("generator closed")


kept = Node("global")
Node("garbage")
open_generator = function()
next(open_generator)
file = open("out", "w")
file.write("not flushed by hand")
weakref.finalize(kept, print, "finalizer")
atexit.register(lambda: print("atexit", threading.active_count()))
atexit.register(lambda: print(open("out").read() == ""))
print("end")
