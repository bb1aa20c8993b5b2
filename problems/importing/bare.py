"""Folders of *.in with *.out or *.ans, and nothing that says more. Every test counts the same, and output is compared
by lines, as Chinese judges do. A folder of folders is a collection.

A program or settings beside the tests, or above them, say more: such a folder is refused, whatever else was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from problems.importing.source import Format, Source, cases, clean, files_below, pairs
from problems.importing.understood import Part
from problems.model import Comparison, Group, Mode, Problem

_DATA = ("", "data", "testdata", "tests", "secret")


def _place(directory: Path) -> Path | None:
    """Where the tests lie. A problem.yaml beside them says more than we read here: such a directory is no bare one."""
    if (directory / "problem.yaml").is_file():
        return None
    places = [directory / name if name else directory for name in _DATA]
    return next((place for place in places if place.is_dir() and any(place.glob("*.in"))), None)


def _folders(source: Source) -> list[Path]:
    root = source.tree.root
    if (root / "problem.yaml").is_file():
        return []
    if _place(root) is not None:
        return [root]
    return [child for child in source.entries(root) if child.is_dir() and _place(child) is not None]


def _problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
    for directory in _folders(source):
        name = source.name if directory == source.tree.root else directory.name
        yield clean(name), partial(_read, source, directory, name)


def _read(source: Source, directory: Path, name: str) -> Problem:
    place = _place(directory) or directory
    _refuse_more(source, place)
    found = pairs(source, place)
    for path in source.entries(place):
        if path.suffix not in (".in", ".out", ".ans"):
            source.lose_file(path, "is no test", "remove it")
    if not found:
        raise source.tree.error(place, "has no test cases", "add NAME.in with NAME.out")
    source.assume(directory, "limits of 1 s and 256 MiB; output compared by lines")
    return Problem(
        name=clean(name),
        directory=directory,
        title={"en": name},
        checker=Comparison(mode=Mode.LINES),
        groups=(Group(name="secret"),),
        cases=cases(found),
        statements={"en": source.make(f"{clean(name)}/problem.en.md", f"# {name}\n")},
    )


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


FORMAT = Format(
    name="bare", holds="*.in with *.out or *.ans", recognises=lambda source: bool(_folders(source)), problems=_problems
)
