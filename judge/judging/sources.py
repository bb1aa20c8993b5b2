"""Cleans all files of a submission."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from containers import File
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
    text: bytes, files: tuple[tuple[str, bytes], ...], language: Language, limit_bytes: int, taken: frozenset[str]
) -> Sources:
    """`files`: (name, content) of the others. `taken`: names of the problem's own files.

    Raises:
        SourceError: as `source.clean`, or a name cannot be a file's here.
    """
    if len(files) > MOST_FILES:
        raise SourceError(f"the program has {len(files) + 1} files, more than {MOST_FILES + 1}: submit fewer")
    if (size := len(text) + sum(len(content) for _, content in files)) > limit_bytes:
        raise SourceError(f"its files have {size} bytes, over the limit of {limit_bytes}: submit a shorter program")
    first = source.clean(text, family=language.family, limit_bytes=limit_bytes, gnu=language.gnu)
    found, count = [], first.freopen_neutralised
    seen = set(taken | language.taken)
    for name, content in files:
        if not _plain(name):
            raise SourceError(f"{name[:40]!r} is no plain file name: submit files without directories")
        if name in seen:
            raise SourceError(f"a second file is called {name}: the judge or the problem has one of that name")
        seen.add(name)
        cleaned = content
        if PurePath(name).suffix in (*language.suffixes, *language.compile.units, *_HEADERS) and content.strip():
            own = source.clean(content, family=language.family, limit_bytes=limit_bytes, gnu=language.gnu)
            cleaned = own.text
            count += own.freopen_neutralised
        found.append(File(name=name, content=cleaned))
    return Sources(text=first.text, files=tuple(found), freopen_neutralised=count)


def _plain(name: str) -> bool:
    try:
        encoded = name.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, in JSON; a byte of a name that is not UTF-8
        return False
    return "/" not in name and "\0" not in name and name not in ("", ".", "..") and len(encoded) <= 255
