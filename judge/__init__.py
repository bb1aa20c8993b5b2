"""Judge programs that nobody trusts, on problems with test data.

    with Judge() as judge:
        judgement = judge.judge(Submission(source=b"…", problem="P1001", language="cpp17"))
        judgement.verdict, judgement.score

A name is imported when it is first used, so `import judge` is fast.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from containers import ContainerError, SandboxError, Unavailable, Unsupported
    from judge.common.errors import Cancelled, CheckerError, ConfigError, JudgeError, LanguageError
    from judge.common.execution import Execution, Program
    from judge.common.models import (
        Cjk,
        CompileResult,
        DroppedTest,
        Judgement,
        Options,
        Stop,
        Submission,
        TestResult,
        Verdict,
    )
    from judge.many.pool import Batch, Judge
    from problems.errors import ProblemError, UnknownProblem

_HOMES = {
    "containers": ("ContainerError", "SandboxError", "Unavailable", "Unsupported"),
    "judge.common.errors": ("Cancelled", "CheckerError", "ConfigError", "JudgeError", "LanguageError"),
    "judge.common.execution": ("Execution", "Program"),
    "judge.common.models": (
        "Cjk",
        "CompileResult",
        "DroppedTest",
        "Judgement",
        "Options",
        "Stop",
        "Submission",
        "TestResult",
        "Verdict",
    ),
    "judge.many.pool": ("Batch", "Judge"),
    "problems.errors": ("ProblemError", "UnknownProblem"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Batch",
    "Cancelled",
    "CheckerError",
    "Cjk",
    "CompileResult",
    "ConfigError",
    "ContainerError",
    "DroppedTest",
    "Execution",
    "Judge",
    "JudgeError",
    "Judgement",
    "LanguageError",
    "Options",
    "ProblemError",
    "Program",
    "SandboxError",
    "Stop",
    "Submission",
    "TestResult",
    "Unavailable",
    "UnknownProblem",
    "Unsupported",
    "Verdict",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _check_neighbours() -> None:
    """Raise ImportError if `containers` or `problems` (common names) is somebody else's package."""
    home = Path(__file__).resolve().parent.parent
    for name in ("containers", "problems"):
        spec = find_spec(name)
        found = None if spec is None or spec.origin is None else Path(spec.origin).resolve().parent
        if found != home / name:
            at = "nothing" if spec is None else found or (list(spec.submodule_search_locations or ()) or [name])[0]
            raise ImportError(
                f"judge needs its own package {name!r} at {home / name}, but Python finds {at}: "
                "rename that, or take its directory off sys.path"
            )


_check_neighbours()
