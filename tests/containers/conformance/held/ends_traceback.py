"""The traceback that was printed keeps its frames alive."""


class Told:
    def __del__(self):
        print("gone")


def fail():
    told = Told()
    raise SystemError(told.__class__.__name__)


print("printed")
fail()
