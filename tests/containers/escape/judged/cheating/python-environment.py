# Tries: to change what its own name, flags and environment make of the run: a second interpreter with PYTHON* set
# Control: yes
# Problem: sum
# Verdict: WA RE
import os
import sys

with open("usercustomize.py", "w") as file:
    file.write("import os\nos.write(1, b'ESCAPED by PYTHON* in the environment\\n')\n")
given = {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}
if given:
    print("ESCAPED: the judge's interpreter takes", *given)
if sys.flags.ignore_environment:
    print(0)
    sys.exit(0)
os.environ["PYTHONPATH"] = os.getcwd()
print("ESCAPED: the environment decides about this interpreter")
