# Tries: to end with the exit codes by which judges tell their own failures: 124, 125, 126, 127, 137, 139, 255
# Control: yes
# Problem: sum
# Verdict: RE
import os

codes = (127, 124, 125, 126, 137, 139, 255)
os._exit(codes[len(os.read(0, 4096)) % 7])
