# Shows: multiprocessing and subprocess cannot be used: it notices and goes on by itself
import os
import subprocess

a, b = map(int, input().split())
try:
    import multiprocessing

    with multiprocessing.Pool(2) as pool:
        total = sum(pool.map(int, (a, b)))
except (OSError, ImportError):
    total = a + b
try:
    subprocess.run(["true"], check=True)
except (OSError, subprocess.SubprocessError):
    pass
try:
    os.fork()
except OSError:
    print(total)
