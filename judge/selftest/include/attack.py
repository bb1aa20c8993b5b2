"""Functions for attacks in Python: ``from attack import ...``. attack.h explains the protocol."""

import errno
import os
import sys


def _line(kind, text):
    os.write(1, f"{kind} {text}\n".encode("utf-8", "replace"))


def escaped(what):
    _line("ESCAPED", what)


def held(what):
    _line("HELD", what)


def refused(error, what=""):
    """Report HELD with the name of the errno (OSError) or of the exception."""
    number = getattr(error, "errno", None)
    held(f"{errno.errorcode.get(number, type(error).__name__)} {what}")


def find_canary(key):
    """The value of one line "key value" of standard input, or None."""
    for line in os.pread(0, 16384, 0).decode().splitlines():
        name, _, value = line.partition(" ")
        if name == key:
            return value
    return None


def canary(key):
    """As `find_canary`. If this machine has no such canary, the attack ends: there is nothing to try."""
    value = find_canary(key)
    if value is None:
        _line("ABSENT", key)
        sys.exit(0)
    return value


def got(number, unit):
    """Report that the attack got so much. Outside the sandbox it ends once that is past the bound."""
    _line("GOT", f"{number} {unit}")
    enough = find_canary("enough")
    if enough is not None and number > int(enough):
        os._exit(0)


def attempt(what, call, *arguments):
    """Report ESCAPED if the call returns, HELD if it raises. Returns the call's result, or None."""
    try:
        result = call(*arguments)
    except (OSError, ValueError, ImportError, RuntimeError) as error:
        refused(error, what)
        return None
    escaped(what)
    return result
