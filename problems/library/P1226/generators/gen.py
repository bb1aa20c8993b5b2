"""Power test: gen.py seed=… [a=…] [b=…] [p=…]

What is not given is random below 2^31, and at least half of that.
"""

import random
import sys

options = dict(argument.split("=") for argument in sys.argv[1:])
random.seed(int(options["seed"]))
numbers = [options.get(name) or str(random.randint(2**30, 2**31 - 1)) for name in "abp"]
sys.stdout.write(" ".join(numbers) + "\n")
