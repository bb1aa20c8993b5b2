"""A program's own builtins are called by nobody else."""

import builtins

for name in ("all", "any", "id", "len", "map", "type"):
    setattr(builtins, name, lambda *_, name=name: print("called:", name))
