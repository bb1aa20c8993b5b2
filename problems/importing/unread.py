"""Tells what of a source nobody read: files that are in no package made of it, and of which no reader said so.

A file was read if a problem holds its path, or a reader took its text (`Source.seen`). Hidden names are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

from problems.files.tree import PICTURES, Tree
from problems.importing.source import Source, files_below
from problems.importing.understood import Loss, Part, Weight, may_decide
from problems.model import Problem

#: At most `_MOST_LINES` unread files of a directory have a line each; more have one together.
_MOST_LINES = 8


def see(source: Source, problem: Problem) -> None:
    """All that the problem holds is read."""
    source.seen.update(_paths(problem))
    for statement in problem.statements.values():  # pictures are written along with it
        if statement.is_relative_to(source.tree.root):
            source.seen.update(path for path in source.entries(statement.parent) if path.suffix in PICTURES)


def unread(source: Source, tree: Tree, top: Path, without: Collection[Path] = ()) -> Iterator[Loss]:
    """A line for each file below `top` that nobody read, or for a directory of such files. `tree` is the one in which
    `top` lies: the source's, or that of a zip in it. `without`: the directories of the problems of a collection; what
    lies beside them is no part of any.

    Raises:
        ProblemError: one of them may decide verdicts, or (if it is not to be lost) says something else of judging.
    """
    left, used = [], {top}
    for path in files_below(top, without):
        if path in source.seen or any(above in source.told for above in (path, *path.parents) if above != top):
            used.update(path.parents)
        else:
            left.append(path)
    lost = list(_find_lost(source, tree, left, among=bool(without)))
    yield from (Loss(file=tree.show(path), message="is not imported", weight=Weight.LOSS) for path in lost)
    found: dict[Path, list[Path]] = {}
    for path in left:
        if path in lost:
            continue
        above = [parent for parent in reversed(path.parents) if parent.is_relative_to(top)]
        found.setdefault(next((parent for parent in above if parent not in used), path.parent), []).append(path)
    for directory, files in found.items():
        if len(files) == 1 or (directory in used and len(files) <= _MOST_LINES):
            yield from (Loss(file=tree.show(path), message="is not imported", weight=Weight.NOTE) for path in files)
        else:
            what = f"{len(files)} files are not imported"
            yield Loss(file=tree.show(directory), message=what, weight=Weight.NOTE)


def _find_lost(source: Source, tree: Tree, left: Iterable[Path], *, among: bool) -> Iterator[Path]:
    """Those on which judging may depend. `among`: they lie among the problems of a collection, and only what may decide
    verdicts by its name is more than a tool there."""
    for path in left:
        part = source.part_of(path, tree)
        if part is Part.OTHER or not source.aside.isdisjoint((path, *path.parents)):
            continue
        if among and not (part is Part.DECIDING and may_decide(path.relative_to(tree.root).as_posix(), ())):
            continue
        what = f"is {part.value} that the format gives no place: nothing reads it"
        if part is Part.DECIDING:
            remedy = "give it the name and the place that the format has for it; if judging needs it not, remove it"
            raise tree.error(path, what, remedy)
        if not source.lenient:
            raise tree.error(path, what, "correct its name, or remove it, or leave it out with --lenient")
        yield path


def _paths(value: object) -> Iterator[Path]:
    """The paths that a value holds, however deep."""
    if isinstance(value, Path):
        yield value
    elif is_dataclass(value):
        for field in fields(value):
            yield from _paths(getattr(value, field.name))
    elif isinstance(value, Mapping):
        yield from _paths(tuple(value.values()))
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from _paths(one)
