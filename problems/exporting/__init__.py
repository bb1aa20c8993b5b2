"""Exports problems to other formats: `judge problems export`.

    Problem ──one Format writes──► Target (files by name) ──► a directory or a zip

What a format cannot hold is an error that names it and the remedy; leniently it becomes a line of the report. What a
format has no place for, though judging does not depend on it, is a note. A module of this folder writes one format.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from problems.errors import ProblemError
from problems.exporting import harbor, hydro, icpc, kattis, luogu, polygon
from problems.exporting.target import Format, Target
from problems.model import Problem

FORMATS: dict[str, Format] = {
    one.name: one for one in (icpc.FORMAT, kattis.FORMAT, luogu.FORMAT, hydro.FORMAT, polygon.FORMAT, harbor.FORMAT)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """Where a problem lies in another format, and how that differs from it."""

    place: Path
    losses: tuple[str, ...]
    notes: tuple[str, ...]


def export(problem: Problem, format: str, place: Path, *, lenient: bool = False) -> Exported:
    """Write the problem to `place`: a directory or, if it ends in .zip, a file. It must not exist yet.

    The same problem gives the same bytes. Generated tests must have been built, and lie among `problem.cases`.

    Raises:
        ProblemError: the format cannot hold the problem, or `place` cannot be written.
    """
    if problem.generated:
        raise ProblemError(f"problem {problem.name}: its generated tests have not been built; build them first")
    target = Target(
        problem=problem, format=FORMATS[format].title, lenient=lenient, packed=place.suffix in (".zip", ".kpp")
    )
    FORMATS[format].write(target)
    target.write(place)
    return Exported(place=place, losses=tuple(target.losses), notes=tuple(target.notes))
