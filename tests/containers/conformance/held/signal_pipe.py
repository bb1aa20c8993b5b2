import os
import signal

reader, writer = os.pipe()
os.close(reader)
try:
    os.write(writer, b"x")
except BrokenPipeError as error:
    print(error, flush=True)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
os.write(writer, b"x")
