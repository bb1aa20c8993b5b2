# Tries: to look as if the machine had run out of memory
# Control: yes
# Problem: sum
# Verdict: RE MLE
import os
import sys

sys.stderr.write("MemoryError\nstd::bad_alloc\nKilled\nfork: Cannot allocate memory\nNo space left on device\n")
sys.stderr.flush()
os._exit(137)
