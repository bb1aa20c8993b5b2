"""Packages of the ICPC formats (2025-09, its drafts, Kattis's legacy). They need no conversion: each is copied whole,
with what judging does not need. A folder of packages is a collection."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from problems.files import archive
from problems.files.tree import MAX_DEPTH, TIME_LIMIT
from problems.importing.draft import Draft, of_folders
from problems.importing.source import Source
from problems.model import Problem
from problems.reading import package

_HEAD = "problem.yaml"


def is_package(directory: Path) -> bool:
    """Hydro's problem.yaml lies beside testdata/."""
    return (directory / _HEAD).is_file() and not (directory / "testdata").is_dir()


def _read(draft: Draft) -> Problem:
    source, directory, root = draft.source, draft.directory, draft.source.tree.root
    real, linked = root.resolve(), 0
    for count, path in enumerate(_files(source, directory), 1):
        if count > archive.MAX_ENTRIES:  # links may lead round in circles, in ever more ways
            what = f"has more than {archive.MAX_ENTRIES} files"
            raise source.tree.error(directory, what, "remove what is not needed")
        if path.resolve() != real / path.relative_to(root):  # a link makes much of little
            linked += path.stat().st_size
            if linked > archive.MAX_TOTAL_BYTES:
                what = f"has more than {archive.MAX_TOTAL_BYTES >> 30} GiB behind links"
                raise source.tree.error(directory, what, "remove links, or put the files there")
        target = draft.work / path.relative_to(directory)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        source.seen.update((path, root / path.resolve().relative_to(real)))
    return package.read(draft.work, shown=source.tree.show(directory))


def _files(source: Source, directory: Path, depth: int = MAX_DEPTH + 2) -> Iterator[Path]:
    """All that a package holds. `__MACOSX` is a name like others there: the judge runs the tests in it. Links to other
    places of the source are followed: collections share files so."""
    if not depth:
        raise source.tree.error(directory, "is nested too deeply", "flatten it (a loop of links?)")
    hidden = source.inside(directory / TIME_LIMIT)
    for path in (*source.entries(directory, without=()), *([hidden] if hidden.is_file() else [])):
        if path.is_dir():
            yield from _files(source, path, depth - 1)
        elif path.is_file():
            yield path
        else:
            source.note(path, "is neither a file nor a directory: not imported")


FORMAT = of_folders(
    name="icpc",
    holds="packages of the ICPC formats (problem.yaml and data/)",
    is_problem=is_package,
    read=_read,
    packaged=True,
)
