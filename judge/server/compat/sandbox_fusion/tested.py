"""SandboxFusion's languages whose programs hold their own tests. What such a run reports is what the program says of
itself, so each answer carries `WARNING`. `pytest` is none of ours: the program is a file of tests for it."""

from __future__ import annotations

from collections.abc import Collection

from judge.common.errors import LanguageError
from judge.common.execution import Execution, Program
from judge.server.service import Service

PYTEST = "pytest"
#: The language that runs it.
LANGUAGE = "python3"
#: Those that report themselves.
SELF_REPORTED = (PYTEST, "d-unittest", "go-test", "jest", "junit")
WARNING = "its tests run in the program's own process: a program may forge what they report, so reward nothing by it"
#: What it exits with where there is no pytest. A program may, too: then it is asked again, without the program.
_NONE = 119
_IMPORT = f"""import sys
try:
    import pytest
except ImportError:
    sys.exit({_NONE})
"""
#: The directory of this driver is not the program's: there a file `solution.py` is another one.
_RUN = """del sys.path[0]
sys.exit(pytest.main(["-p", "no:cacheprovider", {name!r}]))
"""


def file_name(others: Collection[str]) -> str:
    """A name for the file of tests that none of the others has."""
    name = "test_solution.py"
    while name in others:
        name = name.replace(".py", "_.py")
    return name


def driver(name: str) -> bytes:
    return (_IMPORT + _RUN.format(name=name)).encode()


async def check(execution: Execution, service: Service) -> None:
    """Raises LanguageError: this machine has no pytest where sandboxes see it."""
    if execution.exit_code != _NONE:
        return
    again = await service.execute(Program(source=_IMPORT.encode(), language=LANGUAGE))
    if again.exit_code == _NONE:
        raise LanguageError("pytest: the system's Python has none; install it: apt-get install python3-pytest")
