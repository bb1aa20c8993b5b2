"""Says what the interpreter would say on reading the program, without running it. This text is an argument, not a file:
an interpreter that is held has not yet looked at a file of the run, and has done by then what costs most, the import of
nothing but what every start has, and the types of the first compilation."""

import posix
import sys

compile("", "", "exec")
path = sys.argv[1]
name = path.rpartition("/")[2]
posix.stat(path)  # here it is held
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
sys.stderr.flush()
posix._exit(0)  # to clear up costs as much as all the rest
