# Tries: to find the answer in the frames and objects of a judge that runs it in its own interpreter
# Control: yes
# Problem: sum
# Verdict: WA
import gc
import sys

frame = sys._getframe()
while frame is not None:
    for name, value in (*frame.f_locals.items(), *frame.f_globals.items()):
        if name in ("answer", "expected", "case", "checker") and value:
            print(value.decode() if isinstance(value, bytes) else value)
            sys.exit(0)
    frame = frame.f_back
for thing in gc.get_objects():
    if isinstance(thing, dict) and isinstance(thing.get("answer"), (str, bytes)):
        print(thing["answer"])
        sys.exit(0)
print(0)
