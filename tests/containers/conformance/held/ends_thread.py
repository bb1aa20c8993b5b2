import threading
import time


def run():
    time.sleep(0.4)
    print("thread over")


threading.Thread(target=run).start()
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print("main over")
