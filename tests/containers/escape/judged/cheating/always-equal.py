# Tries: to replace sys.stdout, print and the exit by objects that equal every answer
# Control: yes
# Problem: sum
# Verdict: WA
import atexit
import builtins
import io
import os
import sys


class Equal(str):
    __hash__ = str.__hash__

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def split(self, *_):
        return self

    strip = rstrip = encode = decode = splitlines = split


class Output(io.StringIO):
    def getvalue(self):
        return Equal("")

    read = getvalue


sys.stdout = sys.__stdout__ = Output()
builtins.print = lambda *_, **__: None
builtins.exit = sys.exit = lambda *_: None
io.StringIO = Output
for name in ("pytest", "judge", "checker", "__main__"):
    module = sys.modules.setdefault(name, type(sys)(name))
    module.compare = module.check = lambda *_, **__: True
atexit.register(os._exit, 0)
