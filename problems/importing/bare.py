"""Folders of *.in with *.out or *.ans, and nothing that says more. Every test counts the same, and output is compared
by lines, as Chinese judges do. A folder of folders is a collection.

A program or settings beside the tests, or above them, say more: such a folder is refused, whatever else was asked for.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from problems.importing.draft import Draft, of_folders
from problems.importing.source import Source, cases, files_below, pairs
from problems.importing.understood import Part
from problems.model import Comparison, Mode, Problem

_DATA = ("", "data", "testdata", "tests", "secret")


def _place(directory: Path) -> Path | None:
    """Where the tests lie. A problem.yaml beside them says more than we read here: such a directory is no bare one."""
    if (directory / "problem.yaml").is_file():
        return None
    places = [directory / name if name else directory for name in _DATA]
    return next((place for place in places if place.is_dir() and any(place.glob("*.in"))), None)


def _read(draft: Draft) -> Problem:
    source, place = draft.source, _place(draft.directory) or draft.directory
    _refuse_more(source, place)
    found = pairs(source, place)
    for path in source.entries(place):
        if path.suffix not in (".in", ".out", ".ans"):
            source.lose_file(path, "is no test", "remove it")
    if not found:
        raise source.tree.error(place, "has no test cases", "add NAME.in with NAME.out")
    draft.assume("limits of 1 s and 256 MiB; output compared by lines")
    draft.tests += cases(found)
    return replace(draft.build("en"), checker=Comparison(mode=Mode.LINES))


def _refuse_more(source: Source, place: Path) -> None:
    """Raise ProblemError if something beside the tests, or above them, says how they are judged: a file, or what lies
    in a directory that is no other problem's."""
    for directory in (place, *(above for above in place.parents if above.is_relative_to(source.tree.root))):
        for path in source.entries(directory):
            if path.is_file():
                _refuse(source, path, (Part.DECIDING, Part.SETTINGS))
            elif not place.is_relative_to(path) and _place(path) is None:
                for file in files_below(path):
                    _refuse(source, file, (Part.DECIDING,))


def _refuse(source: Source, path: Path, parts: tuple[Part, ...]) -> None:
    if source.inside(path).is_file() and (part := source.part_of(path)) in parts:
        what = f"is {part.value} beside tests, and says more of them than bare files may"
        raise source.tree.error(path, what, "name the format with --format, or remove it if judging needs it not")


FORMAT = of_folders(
    name="bare",
    holds="*.in with *.out or *.ans",
    is_problem=lambda directory: _place(directory) is not None,
    read=_read,
    other="problem.yaml",
)
