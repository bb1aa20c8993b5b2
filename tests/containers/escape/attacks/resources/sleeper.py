# Tries: keep a slot for ever without using anything
# Control: no, outside nothing limits time
# Limits: wall=0.5s
# Expect: wall

import signal
import time

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    time.sleep(1000)
