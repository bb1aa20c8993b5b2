"""Wraps checkers of data sets so that the judge can call them."""

from __future__ import annotations

from problems.model import Convention
from trainer_adapter.data.tests_column import Checker

#: open-r1's checkers are called `checker.py INPUT ANSWER OUTPUT` and print 1 for a right output. A model wrote them,
#: and they may crash on a malformed output. Such an output is wrong if the checker accepts the answer itself.
_PRINTING = """\
import contextlib
import io
import sys

SOURCE = {source!r}


def printed(given, answer, output):
    sys.argv = ["checker.py", given, answer, output]
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(SOURCE, "checker.py", "exec"), {{"__name__": "__main__"}})
    except SystemExit as end:
        if end.code not in (None, 0):
            return None
    except Exception as error:
        print(type(error).__name__, error, file=sys.stderr)
        return None
    return out.getvalue().strip()


given, output, answer = sys.argv[1:4]
verdict = printed(given, answer, output)
if verdict is None and printed(given, answer, answer) != "1":
    sys.exit(3)
sys.exit(0 if verdict == "1" else 1)
"""


def printing(source: str) -> Checker:
    """A checker from a Python program as in open-r1/codeforces (`generated_checker`)."""
    return Checker(source=_PRINTING.format(source=source), suffix="py", convention=Convention.TESTLIB)
