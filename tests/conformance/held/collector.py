import gc
import sys

print(gc.get_count()[1:], gc.collect() >= 0, len(gc.get_objects()) > 1000)
print(len([one for one in gc.get_objects() if one is sys.modules]), gc.is_tracked(globals()))


class Ring:
    def __init__(self):
        self.ring = self

    def __del__(self):
        print("collected")


Ring()
print(gc.collect() > 0)
