import collections
import decimal
import json
import random
import sys

a, b = map(int, sys.stdin.read().split())
print(json.loads(json.dumps(int(decimal.Decimal(a) + b))) + collections.Counter()["x"] + random.randrange(1))
