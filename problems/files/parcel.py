"""Packs packages to send them to another machine, and computes the digests that tell them apart."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from problems.errors import ProblemError
from problems.files.archive import MAX_TOTAL_BYTES, SUFFIXES, expand, extract, open_zip, read_entries
from problems.files.tree import MAX_DEPTH, TIME_LIMIT, Tree, is_of_package


def digest(path: Path) -> str:
    """A hash of a directory or zip file (as `lookup.find` gives it): of its name, which is the problem's, and of the
    names and contents of its files.

    Raises:
        ProblemError: the package cannot be read.
    """

    def hash_file(file: Path) -> str:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    try:
        return _digest(path.name, ((name, hash_file(file)) for name, file in files(path)))
    except OSError as error:
        raise _unreadable(path, error) from error


def digest_packed(content: bytes, name: str) -> str:
    """The `digest` of what `unpack` would make. Nothing is written. Raises as `unpack`."""
    if Path(name).suffix in SUFFIXES:
        return _digest(name, [("", hashlib.sha256(content).hexdigest())])
    found: dict[PurePosixPath, str] = {}
    with open_zip(Path(name), content) as archive:
        for inner, chunks in read_entries(Path(name), archive):
            if chunks is not None and (str(inner) == TIME_LIMIT or all(map(is_of_package, inner.parts))):
                hashed = hashlib.sha256()
                for chunk in chunks:
                    hashed.update(chunk)
                found[inner] = hashed.hexdigest()
    return _digest(name, ((str(inner), found[inner]) for inner in sorted(found, key=_place)))


def _place(file: PurePosixPath) -> tuple[tuple[bool, str], ...]:
    """Sorts as `files` does: of each directory its files first."""
    return (*((True, part) for part in file.parent.parts), (False, file.name))


def _digest(name: str, hashes: Iterable[tuple[str, str]]) -> str:
    total = hashlib.sha256(f"{name}\n".encode("utf-8", "surrogateescape"))
    for inner, hashed in hashes:
        total.update(f"{inner}\0{hashed}\n".encode())
    return total.hexdigest()


def pack(path: Path) -> bytes:
    """The bytes of the package as a zip file; if it is one, its own.

    Raises:
        ProblemError: it cannot be read, or is too large to be unpacked again.
    """
    try:
        if path.is_file():
            return path.read_bytes()
        found = list(files(path))
        if sum(file.stat().st_size for _, file in found) > MAX_TOTAL_BYTES:
            raise ProblemError(
                f"{path}: is larger than {MAX_TOTAL_BYTES >> 30} GiB, too much to be sent; copy it to each machine, "
                "into a directory that JUDGE_PROBLEMS names there, and give its name alone"
            )
        content = io.BytesIO()
        # Test data are text: the fastest level makes them a third as large.
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, file in found:
                with archive.open(name, "w", force_zip64=True) as target, file.open("rb") as source:
                    while chunk := source.read(1 << 20):
                        target.write(chunk)
    except OSError as error:
        raise _unreadable(path, error) from error
    return content.getvalue()


def unpack(content: bytes, name: str, directory: Path) -> Path:
    """Make the package again below `directory`, with its name, from what `pack` returned. Returns its path.

    Raises:
        ProblemError, OSError: it cannot be written.
        zipfile.BadZipFile and others (`archive.UNSOUND`): the bytes are no sound zip file.
    """
    path = directory / name
    if path.suffix in SUFFIXES:
        path.write_bytes(content)
        return path
    path.mkdir()
    with open_zip(Path(name), content) as archive:
        extract(Path(name), archive, path)
    return path


def expand_zip(path: Path) -> Path:
    """The package that `unpack` made, as a directory: a zip file gives way to what it holds. (`problems.load` would
    unpack it until the process ends.) Raises as `unpack`."""
    if path.is_dir():
        return path
    content = path.read_bytes()
    path.unlink()
    with open_zip(Path(path.name), content) as packed:
        return expand(Path(path.name), packed, path.parent)


def files(path: Path) -> Iterator[tuple[str, Path]]:
    """(name in the package, path) of all files that reading the package may open, sorted.

    Raises:
        ProblemError: a directory cannot be read.
    """
    if path.is_file():
        yield "", path
        return
    tree = Tree(root=path, shown=str(path))
    if (limit := tree.file(TIME_LIMIT)) is not None:
        yield TIME_LIMIT, limit
    for file in tree.walk(path, MAX_DEPTH + 2):
        yield file.relative_to(path).as_posix(), file


def _unreadable(path: Path, error: OSError) -> ProblemError:
    return ProblemError(f"{path}: cannot be read: {error.strerror}; check the permissions of its files")
