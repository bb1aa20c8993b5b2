"""Tells what of a source nobody read: files that are in no package made of it, and of which no reader said so.

A file was read if a problem holds its path, or a reader took its text (`Source.seen`). Hidden names are left out.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

from problems.files.tree import PICTURES, Tree
from problems.importing.source import MACOSX, Loss, Source, natural
from problems.model import Problem

#: Of a directory of which others are read, so many files have a line each; more have one together.
_MOST_LINES = 8


def see(source: Source, problem: Problem) -> None:
    """All that the problem holds is read."""
    source.seen.update(_paths(problem))
    for statement in problem.statements.values():  # pictures are written along with it
        if statement.is_relative_to(source.tree.root):
            source.seen.update(path for path in source.entries(statement.parent) if path.suffix in PICTURES)


def unread(source: Source, tree: Tree, top: Path, without: Collection[Path] = ()) -> Iterator[Loss]:
    """A line for each file below `top` that nobody read, or for a directory of such files; none for what lies in a
    directory of `without`. `tree` is the one in which `top` lies: the source's, or that of a zip in it."""
    left, used = [], {top}
    for path in _files(top, without):
        if path in source.seen or any(above in source.told for above in (path, *path.parents) if above != top):
            used.update(path.parents)
        else:
            left.append(path)
    found: dict[Path, list[Path]] = {}
    for path in left:
        above = [parent for parent in reversed(path.parents) if parent.is_relative_to(top)]
        found.setdefault(next((parent for parent in above if parent not in used), path.parent), []).append(path)
    for directory, files in found.items():
        if len(files) == 1 or (directory in used and len(files) <= _MOST_LINES):
            yield from (Loss(file=tree.show(path), message="is not imported") for path in files)
        else:
            yield Loss(file=tree.show(directory), message=f"{len(files)} files are not imported")


def _files(top: Path, without: Collection[Path]) -> Iterator[Path]:
    """All below, in natural order. Links to directories are not followed: what they mean lies elsewhere."""
    for place, directories, names in os.walk(top):
        directory = Path(place)
        directories[:] = sorted(
            (name for name in directories if _of_format(name) and directory / name not in without), key=natural
        )
        yield from (directory / name for name in sorted(names, key=natural) if not name.startswith("."))


def _of_format(name: str) -> bool:
    """Whether a directory of this name is more than what a system or an interpreter leaves behind."""
    return not name.startswith(".") and name not in (MACOSX, "__pycache__")


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
