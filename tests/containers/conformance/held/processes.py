import multiprocessing
import os
import subprocess

for attempt in (
    lambda: subprocess.run(["/bin/true"]),
    lambda: os.system("true"),
    lambda: os.fork(),
    lambda: multiprocessing.Process(target=print).start(),
    lambda: os.posix_spawn("/bin/true", ["true"], {}),
):
    try:
        print(attempt())
    except OSError as error:
        print(type(error), error.errno)
