import os
print("flushed", flush=True)
os.execv("/bin/echo", ["echo", "executed", "afterwards"])
