class Told:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("gone:", self.name, suffix)


def function():
    return alone


suffix = "!"
alone = Told("alone")
function.attribute = Told("of a function")
ring = [Told("in a ring")]
ring.append(ring)


class Holder:
    held = Told("of a class")


del Holder, function
