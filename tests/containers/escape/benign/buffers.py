# Shows: sys.stdin.buffer, io.BytesIO, sys.stdout.write, os.write, memoryview
import io
import os
import sys

data = io.BytesIO(sys.stdin.buffer.read())
a, b = map(int, bytes(memoryview(data.getvalue())).split())
sys.stdout.write("")
sys.stdout.flush()
os.write(1, f"{a + b}\n".encode())
