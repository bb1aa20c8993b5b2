"""gen.py n=… most=… order=random|falling seed=…: n heights from 1 to `most`."""

import random
import sys

options = dict(argument.split("=") for argument in sys.argv[1:])
random.seed(int(options["seed"]))
heights = [random.randint(1, int(options["most"])) for _ in range(int(options["n"]))]
if options["order"] == "falling":
    heights.sort(reverse=True)
print(len(heights))
print(*heights)
