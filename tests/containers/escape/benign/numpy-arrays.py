# Shows: numpy: sums, sorting, linear algebra
# Problem: column
import sys

import numpy as np

numbers = np.fromstring(sys.stdin.buffer.read(1 << 26), dtype=np.int64, sep="\n")
np.sort(numbers[:100000])
np.linalg.solve(np.eye(50) * 2, np.ones(50))
print(numbers.sum())
