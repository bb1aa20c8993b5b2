"""Finds and loads the problem that a reference means: a name, a directory or a zip file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from problems.errors import ProblemError, UnknownProblem, nearest
from problems.files.tree import LONGEST_NAME
from problems.model import Problem

if TYPE_CHECKING:
    from problems.files.stored import Store

VARIABLE = "JUDGE_PROBLEMS"
_LONGEST_PATH = 4000
_ARCHIVES = (".zip", ".kpp")


def library_directory() -> Path:
    """Where the bundled packages lie."""
    return Path(__file__).parent / "library"


def load(ref: str | Path, *, search: Sequence[Path] = (), store: Store | None = None) -> Problem:
    """Load a problem by name or path. With a `store`, a package directory is read again only when it has changed.

    Raises:
        UnknownProblem: no problem has that name; the message suggests the nearest names.
        ProblemError: the package cannot be used.
    """
    path, shown = _find(ref, search)
    return _load_path(path, shown, store)


def find(ref: str | Path, *, search: Sequence[Path] = ()) -> Path:
    """The directory or zip file that `load` would read.

    Raises:
        UnknownProblem: no problem of that name.
        ProblemError: nothing is at that path.
    """
    path = _find(ref, search)[0]
    if not path.exists():
        raise _missing(path)
    return path.absolute() if path.name else path.resolve()


def _find(ref: str | Path, search: Sequence[Path]) -> tuple[Path, str]:
    """Where the problem is, and how messages call it."""
    text = str(ref)
    if len(text) > _LONGEST_PATH or max(map(len, text.split("/"))) > LONGEST_NAME:  # no file can have such a name
        raise UnknownProblem(f"{text[:40]}…")
    path = _as_path(ref)
    if path is not None:
        return path, str(path)
    name = str(ref)
    for directory in _directories(search):
        for candidate in (directory / name, *(directory / f"{name}{suffix}" for suffix in _ARCHIVES)):
            if _is_package(candidate):
                return candidate, name if directory == library_directory() else str(candidate)
    known = {known.casefold(): known for known in names(search=search)}
    close = nearest(name.casefold(), known, most=3)
    notes = [f"{VARIABLE} names {directory}, which is no directory" for directory in lost_directories()]
    if name and Path(name).is_dir():
        notes.append(f"the directory {name} is no package, for it has no problem.yaml")
    raise UnknownProblem(name, tuple(known[key] for key in close), notes=notes)


def find_named(name: str) -> Path:
    """As `find`, for a name only: what would be a path names no problem. It lists no directory to find one.

    Raises:
        UnknownProblem: no problem of that name.
    """
    if "\0" in name or _as_path(name) is not None:
        raise UnknownProblem(name[:100])
    return find(name)


def names(*, search: Sequence[Path] = ()) -> tuple[str, ...]:
    """Names of all problems that `load` finds without a path, in natural order (P2 before P10)."""
    found = set()
    for directory in _directories(search):
        try:
            entries = list(os.scandir(directory))
        except OSError:
            continue  # a directory of the search path that does not exist
        for entry in entries:
            if not entry.name.startswith(".") and _is_package(Path(entry.path)):
                found.add(entry.name if entry.is_dir() else Path(entry.name).stem)
    return tuple(sorted(found, key=_natural))


def _as_path(ref: str | Path) -> Path | None:
    """The path that `ref` means, or None if it is a name."""
    text = str(ref)
    if not text or text in {".", ".."} or "\0" in text:
        return Path(text) if text in {".", ".."} else None
    if isinstance(ref, Path) or "/" in text or os.sep in text or text.endswith(_ARCHIVES):
        with suppress(RuntimeError):  # ~NAME of no user: a directory may be called so
            return Path(text).expanduser()
        return Path(text)
    return Path(text) if _is_package(Path(text)) else None


def _is_package(path: Path) -> bool:
    return (path.suffix in _ARCHIVES and path.is_file()) or (path / "problem.yaml").is_file()


def _load_path(path: Path, shown: str, store: Store | None) -> Problem:
    def read(directory: Path, name: str | None = None) -> Problem:
        from problems.reading import package  # noqa: PLC0415  # YAML and pydantic only when a package is read

        return package.read(directory, shown=shown, name=name)

    if path.is_dir():
        directory = path.absolute() if path.name else path.resolve()
        if store is None:
            return read(directory)
        from problems.files.stored import recall  # noqa: PLC0415

        return recall(directory, store, partial(read, directory))
    if not path.exists():
        raise _missing(path)
    if path.suffix not in _ARCHIVES:
        raise ProblemError(f"{path}: is neither a package directory nor a zip file; give one of them")
    from problems.files.archive import unpack  # noqa: PLC0415

    return read(unpack(path), path.stem)


def _missing(path: Path) -> ProblemError:
    return ProblemError(f"{path}: no such package; give a directory, a zip file or a name (`judge problems list`)")


def lost_directories() -> list[Path]:
    """Those of JUDGE_PROBLEMS that are not there."""
    return [directory for directory in _find_stated() if not directory.is_dir()]


def _find_stated() -> list[Path]:
    return [Path(part) for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part]


def _directories(search: Iterable[Path]) -> list[Path]:
    return [*search, *_find_stated(), library_directory()]


def _natural(name: str) -> list[tuple[int, int | str]]:
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in re.split(r"(\d+)", name) if part]
