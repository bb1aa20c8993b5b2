# Shows: threads, random numbers, temporary files, decimal numbers
import decimal
import random
import sys
import tempfile
import threading

a, b = map(decimal.Decimal, sys.stdin.read().split())
with tempfile.TemporaryFile("w+") as file:
    writer = threading.Thread(target=lambda: file.write(str(int(a + b))))
    writer.start()
    writer.join()
    file.seek(0)
    print(int(file.read()) + random.randrange(1))
