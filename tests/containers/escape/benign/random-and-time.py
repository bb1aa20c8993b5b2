# Shows: random, secrets, uuid, datetime, time, platform, getpass
import datetime
import os
import platform
import random
import secrets
import time
import uuid

a, b = map(int, input().split())
random.shuffle(list(range(1000)))
secrets.token_bytes(16)
uuid.uuid4()
time.sleep(0.001)
platform.system()
os.cpu_count()
well = datetime.datetime.now().year > 2020 and time.perf_counter() > 0 and time.process_time() > 0
print(a + b if well else 0)
