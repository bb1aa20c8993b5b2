# Tries: start threads until none can be had
# Control: yes
# Limits: memory=512M
# Bound: 64 threads

import threading

from attack import got, refused

stop = threading.Event()
try:
    for number in range(2, 400):
        threading.Thread(target=stop.wait, daemon=True).start()
        got(number, "threads")
except (RuntimeError, MemoryError) as error:
    refused(error, "a thread")
