# Tries: flood both streams at once, reopened by their names, and never end a line
# Control: no, floods end where somebody counts: nothing outside does
# Limits: output=1M cpu=2s wall=5s
# Expect: output

import os

files = [1, 2]
for name in ("/dev/stdout", "/dev/stderr", "/proc/self/fd/1"):
    try:
        files.append(os.open(name, os.O_WRONLY))
    except OSError:
        pass
while True:
    for fd in files:
        os.write(fd, b"x" * 65536)
