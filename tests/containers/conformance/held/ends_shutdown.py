"""What is called at the end, replaced: it is called once, or not at all."""

import atexit
import threading

atexit.register(print, "registered")
atexit._run_exitfuncs = lambda: print("never")
threading._shutdown = lambda: print("once")
