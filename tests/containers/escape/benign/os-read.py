# Shows: os.read, os.fstat, mmap of the input
import mmap
import os

size = os.fstat(0).st_size
with mmap.mmap(0, size, access=mmap.ACCESS_READ) as mapped:
    first = mapped[:]
second = os.read(0, size)
a, b = map(int, second.split())
print(a + b if first == second else 0)
