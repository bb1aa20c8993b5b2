"""The exception tree of problem packages.

ProblemError            a package, or a file in it, is wrong: what, where, what to do
└── UnknownProblem      no problem of that name; carries the nearest names
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

#: For longer names we suggest nothing: comparing two names takes time by the product of their lengths.
_LONGEST_NAME = 40


class ProblemError(Exception):
    """A problem package cannot be used. The message names the file (and line) and the remedy."""


class UnknownProblem(ProblemError):
    def __init__(self, name: str, nearest: tuple[str, ...] = (), *, notes: Iterable[str] = ()) -> None:
        hint = f"; did you mean {', '.join(nearest)}?" if nearest else "; `judge problems list` shows all"
        super().__init__("; ".join([f"unknown problem {name!r}{hint}", *notes]))
        self.name = name
        self.nearest = nearest


def nearest(name: str, known: Iterable[str], *, most: int = 1, cutoff: float = 0.6) -> tuple[str, ...]:
    """The known names that are most similar to an unknown one, for messages."""
    return _nearest(name, tuple(known), most, cutoff) if len(name) <= _LONGEST_NAME else ()


@lru_cache(1024)
def _nearest(name: str, known: tuple[str, ...], most: int, cutoff: float) -> tuple[str, ...]:
    from difflib import get_close_matches  # noqa: PLC0415  # only for an error

    return tuple(get_close_matches(name, known, n=most, cutoff=cutoff))
