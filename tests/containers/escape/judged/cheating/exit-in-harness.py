# Tries: to end the process of a judge that takes exit code 0 for success, before it compares anything
# Control: yes
# Problem: sum
# Verdict: WA
import os

os._exit(0)
