"""Checks the syntax of the files of a Python program, and prints what the interpreter would say, without running them.
The interpreter gets this text as an argument, not as a file. So it can be held where it first looks at a file of the
run, after the costly part: its start and a first compilation. It imports nothing but what every start imports."""

import posix
import sys

compile("", "", "exec")
posix.stat(sys.argv[1])  # the interpreter is held here
for path in sys.argv[1:]:
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
sys.stderr.flush()
posix._exit(0)  # an ordinary exit would double the time of all this
