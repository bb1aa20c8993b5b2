"""Cleans all files of a submission."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from containers import File
from containers.spec import check_paths
from judge.common.errors import SourceError
from judge.compiling import source
from judge.languages import Language

#: The most files of a submission beside its first.
MOST_FILES = 32
#: Suffixes of what C and C++ include.
_HEADERS = (".h", ".hh", ".hpp", ".hxx")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    #: What `Cleaned.text` is, of the file with which the program begins.
    text: bytes
    files: tuple[File, ...]
    freopen_neutralised: int


def clean(
    text: bytes,
    files: tuple[tuple[str, bytes], ...],
    language: Language,
    limit_bytes: int,
    included: tuple[File, ...] = (),
) -> Sources:
    """`files`: (path, content) of the others, beside the first or below it. `included`: the problem's own files, which
    take the place of a submission's with the same name.

    Raises:
        SourceError: as `source.clean`, or a path cannot be a file's here.
    """
    check_count(files)
    if (size := len(text) + sum(len(content) for _, content in files)) > limit_bytes:
        raise SourceError(f"its files have {size} bytes, over the limit of {limit_bytes}: submit a shorter program")
    first = source.clean(text, family=language.family, limit_bytes=limit_bytes, gnu=language.gnu)
    found, count = [], first.freopen_neutralised
    theirs = {file.name for file in included}
    seen = {name for name in language.taken if name}
    try:
        check_paths({*seen, *theirs, *(name for name, _ in files)})
    except ValueError as error:
        raise SourceError(f"{error}: submit files in one directory, or in directories of it") from error
    for name, content in files:
        if name in seen:
            raise SourceError(f"a second file is called {name}: the judge or the submission has one of that name")
        seen.add(name)
        if name in theirs:
            continue
        cleaned = content
        if PurePath(name).suffix in (*language.suffixes, *language.compile.units, *_HEADERS) and content.strip():
            own = source.clean(content, family=language.family, limit_bytes=limit_bytes, gnu=language.gnu)
            cleaned = own.text
            count += own.freopen_neutralised
        found.append(File(name=name, content=cleaned))
    return Sources(text=first.text, files=tuple(found), freopen_neutralised=count)


def check_count(files: Sequence[tuple[str, bytes]]) -> None:
    """
    Raises:
        SourceError: a program has not so many files beside its first.
    """
    if len(files) > MOST_FILES:
        raise SourceError(f"the program has {len(files) + 1} files, more than {MOST_FILES + 1}: submit fewer")


def beside(files: Mapping[str, bytes], language: Language) -> tuple[File, ...]:
    """Of the files of a working directory those that the program may include or import. Where it starts in that
    directory its interpreter or compiler finds them; here the program lies elsewhere, so they lie there, too. Units
    that would be compiled along are not among them: those may be programs of their own.

    They are data until the program asks for them: neither cleaned nor limited as sources are.
    """
    suffixes = _HEADERS if language.family in ("c", "c++") else language.suffixes
    return tuple(
        File(name=name, content=content)
        for name, content in files.items()
        if PurePath(name).suffix in suffixes
        and not name.endswith(language.compile.units)
        and name.partition("/")[0] not in language.taken
    )
