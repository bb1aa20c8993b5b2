"""Classes whose classes answer for them, and an object that shows when it ends."""


class Meta(type):
    def __getattribute__(cls, name):
        print("asked for", name)
        return super().__getattribute__(name)

    def __eq__(cls, other):
        print("compared")
        return True

    def __hash__(cls):
        print("hashed")
        return 1


class Thing(metaclass=Meta):
    def __getattribute__(self, name):
        print("asked the object for", name)
        return super().__getattribute__(name)


class Told(metaclass=Meta):
    def __del__(self):
        print("gone")


things = [Thing(), Told()]
