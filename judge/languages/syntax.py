"""Says what the interpreter would say on reading the program, without running it. Imports only what every start has:
this runs once for every submission."""

import sys

path = sys.argv[1]
name = path.rpartition("/")[2]
with open(path, "rb") as file:  # noqa: PTH123 - pathlib takes longer to import than all the rest
    source = file.read()
try:
    compile(source, name, "exec", dont_inherit=True)
except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
    import linecache
    import traceback

    lines = source.decode("utf-8", "replace").splitlines(keepends=True)
    linecache.cache[name] = (len(source), None, lines, name)
    sys.stderr.write("".join(traceback.format_exception_only(type(error), error)))
    sys.exit(1)
