import mmap
import os
import sys

print(input().split(), repr(sys.stdin.readline()), sys.stdin.buffer.raw.tell())
os.lseek(0, 0, os.SEEK_SET)
print(os.read(0, 4), open(0, "rb", closefd=False).read(6))
print(bytes(mmap.mmap(0, 0, prot=mmap.PROT_READ)), os.fstat(0).st_size)
print(open("/dev/stdin", "rb").read(3) if os.path.exists("/dev/stdin") else b"3 4")
sys.stdin.seek(0)
print([line.encode("utf-8", "surrogateescape") for line in sys.stdin])
