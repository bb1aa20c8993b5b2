import copy
import dataclasses
import enum
import inspect
import pickle


@dataclasses.dataclass(order=True)
class Point:
    x: int
    y: int = 2


class Colour(enum.Enum):
    RED = 1


print(pickle.dumps(Point(1)), pickle.loads(pickle.dumps([Point(1), Colour.RED])), copy.deepcopy(Point(3)))
print(inspect.getsource(Point), inspect.stack()[0][1:4], len(inspect.stack()))
import __main__

print(__main__.Point is Point, Point.__module__)
