"""What the C library has buffered is written after all else."""

import ctypes

ctypes.CDLL(None).printf(b"buffered\n")
print("printed")
