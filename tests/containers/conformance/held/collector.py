import gc

print(gc.isenabled(), gc.collect() >= 0, [one for one in gc.get_referrers(gc) if one is globals()] == [globals()])


class Ring:
    def __init__(self):
        self.ring = self

    def __del__(self):
        print("collected")


Ring()
print(gc.collect() > 0)
