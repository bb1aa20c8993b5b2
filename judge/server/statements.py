"""The statements of problems as they are sent: their text, with the values of the package's constants."""

from __future__ import annotations

from problems.errors import ProblemError
from problems.model import Problem
from problems.text.constants import substitute

#: One more than is sent, which tells that there is more.
_MOST_BYTES = (1 << 20) + 1


def text(problem: Problem, tag: str) -> str | None:
    """The statement in a language that the problem has; None: it is no text (a PDF), or cannot be read."""
    path = problem.statements[tag]
    if path.suffix not in (".md", ".tex", ".txt"):
        return None
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES)
        return substitute(content, problem.constants, str(path)).decode("utf-8", "replace")
    except (OSError, ProblemError):
        return None
