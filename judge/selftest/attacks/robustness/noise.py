# Tries: leaves its input unread, floods standard error with bytes that are no text, and closes all streams
# Control: no, it does no harm anywhere
import os

from attack import held

held("it is noisy")
for _ in range(12):
    os.write(2, b"\xff\xfe\x00\x1b" * 16384)
for fd in (0, 1, 2):
    os.close(fd)
os._exit(0)
