import os
import sys

sys.addaudithook(lambda event, _, write=os.write: write(1, b"over\n") if "Interpreter" in event else None)
