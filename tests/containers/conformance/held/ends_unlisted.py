"""The collector does not know of objects that can hold no others."""


class Told:
    __slots__ = ()

    def __del__(self):
        print("gone")


told = [Told()]
