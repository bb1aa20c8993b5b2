"""Finds the file with which a program of several files begins, by the rules of the package formats.

A stated entry point names a file, with or without its suffix, or a class. Else it is `__main__.py`, a file called
`main`, the file that defines the function `main`, or the first one that is no mere unit or module (the specification's
languages table; problemtools).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

from problems.files.languages import by_suffix, part_suffixes, pattern, suffixes

#: Suffixes of the specification's languages table whose languages are none of ours.
_OTHER_SOURCES = frozenset(
    (".a68", ".cob", ".cr", ".dart", ".fs", ".fth", ".jl", ".mod", ".odin", ".pm", ".py2", ".st", ".swift")
)


@functools.cache
def source_suffixes() -> frozenset[str]:
    """Suffixes of programs, of the specification's languages and of ours."""
    return _OTHER_SOURCES | suffixes()


def entry(files: Sequence[tuple[Path, bytes]], stated: str | None = None) -> Path | None:
    """The path with which the program begins, of (path, content) of each source; None: none fits what is `stated`."""
    if stated is not None:
        return next((path for path, _ in files if stated in (path.name, path.stem, f"{path.stem}Kt")), None)
    for path, _ in files:
        if path.name == "__main__.py":
            return path
    for path, _ in files:
        if path.stem.lower() == "main":
            return path
    for path, content in files:
        if defines_main(path, content):
            return path
    whole = [path for path, content in files if not _is_part(path, content)]
    return next(iter([*whole, *(path for path, _ in files)]), None)


def defines_main(path: Path, content: bytes) -> bool:
    """Whether the source says that its program begins there, as a function `main` does."""
    language = by_suffix(path.suffix)
    mark = pattern(language.text.main) if language else None
    return mark is not None and mark.search(content) is not None


def _is_part(path: Path, content: bytes) -> bool:
    """Whether it is a part of a program only, in a language whose programs need not say where they begin."""
    if path.suffix in part_suffixes():
        return True
    language = by_suffix(path.suffix)
    mark = pattern(language.text.part) if language else None
    return mark is not None and mark.match(content) is not None
