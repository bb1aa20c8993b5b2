"""Folders of *.in with *.out or *.ans, and nothing that says more. Every test counts the same, and output is compared
by lines, as Chinese judges do. A folder of folders is a collection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from problems.importing.source import Format, Source, cases, clean, pairs
from problems.model import Comparison, Group, Mode, Problem

_DATA = ("", "data", "testdata", "tests", "secret")


def _place(directory: Path) -> Path | None:
    """Where the tests lie."""
    places = [directory / name if name else directory for name in _DATA]
    return next((place for place in places if place.is_dir() and any(place.glob("*.in"))), None)


def _recognises(source: Source) -> bool:
    root = source.tree.root
    return _place(root) is not None or any(_place(child) for child in source.entries(root) if child.is_dir())


def _problems(source: Source) -> Iterator[tuple[str, Callable[[], Problem]]]:
    root = source.tree.root
    if _place(root) is not None:
        yield clean(source.name), partial(_read, source, root, source.name)
        return
    for child in source.entries(root):
        if child.is_dir() and _place(child) is not None:
            yield clean(child.name), partial(_read, source, child, child.name)
        else:
            source.assume(child, "it is no problem")


def _read(source: Source, directory: Path, name: str) -> Problem:
    place = _place(directory) or directory
    found = pairs(source, place)
    for path in source.entries(place):
        if path.suffix not in (".in", ".out", ".ans"):
            source.lose(path, "is no test", "remove it")
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


FORMAT = Format(name="bare", holds="*.in with *.out or *.ans", recognises=_recognises, problems=_problems)
