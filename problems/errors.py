"""The exception tree of problem packages.

ProblemError            a package, or a file in it, is wrong: what, where, what to do
└── UnknownProblem      no problem of that name; carries the nearest names
"""

from __future__ import annotations


class ProblemError(Exception):
    """A problem package cannot be used. The message names the file (and line) and the remedy."""


class UnknownProblem(ProblemError):
    def __init__(self, name: str, nearest: tuple[str, ...] = ()) -> None:
        hint = f"; did you mean {', '.join(nearest)}?" if nearest else "; `judge problems list` shows all"
        super().__init__(f"unknown problem {name!r}{hint}")
        self.name = name
        self.nearest = nearest
