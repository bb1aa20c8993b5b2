"""Unpacks packages in zip files, once per process, into a private temporary directory that is removed at exit.

A zip comes from a stranger. Nothing is written outside the directory: names are checked, then opened with O_NOFOLLOW
in a fresh tree that holds no links. Links and devices are refused. The caps count the bytes that come out, not those
that the headers promise. A process that was killed leaves its directory; the next process that unpacks removes every
directory of this user whose lock nobody holds.
"""

from __future__ import annotations

import atexit
import errno
import fcntl
import io
import lzma
import os
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from problems.errors import ProblemError

MAX_ENTRIES = 20_000
MAX_FILE_BYTES = 1 << 30
MAX_TOTAL_BYTES = 2 << 30
#: The most bytes of a zip's table of contents. It takes twenty times as much memory, before the first entry is seen.
MAX_CONTENTS_BYTES = 8 << 20
SUFFIXES = (".zip", ".kpp")
#: What the standard library raises on a damaged zip file, also on bad names and lengths in it.
UNSOUND = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(ValueError, OverflowError, EOFError, NotImplementedError, RuntimeError, IndexError),
)

_PREFIX = "judge-package-"
_CHUNK = 1 << 20

#: LZMA and newer methods may ask for gigabytes of memory before the first byte comes out.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
#: How each entry of the table of contents begins.
_ENTRY = b"PK\1\2"

#: (path, size, mtime) of an archive -> its package, in this process.
_unpacked: dict[tuple[str, int, int], Path] = {}
#: The private directories of this process, each with the descriptor that locks it.
_held: dict[Path, int] = {}


def unpack(path: Path) -> Path:
    """The root directory of the package in this zip file: the directory that holds problem.yaml."""
    try:
        status = path.stat()
        key = (str(path.resolve()), status.st_size, status.st_mtime_ns)
        if key in _unpacked and _unpacked[key].is_dir():
            return _unpacked[key]
        with open_zip(path) as archive:
            directory = private_directory()
            try:
                extract(path, archive, directory)
                root = _package_root(path, directory)
            except BaseException:
                _remove(directory, os.getpid())
                raise
    except UNSOUND as error:
        raise ProblemError(f"{path}: is not a sound zip file ({error}); make it again") from error
    except OSError as error:
        if error.errno in (None, errno.EINVAL):  # errors of bz2; an offset before the start of the file
            raise ProblemError(f"{path}: is not a sound zip file ({error}); make it again") from error
        raise ProblemError(f"{path}: cannot be unpacked: {error.strerror}; check permissions and free space") from error
    _unpacked[key] = root
    return root


def expand(path: Path, archive: zipfile.ZipFile, directory: Path) -> Path:
    """Unpack the package in `archive` below `directory`, which is empty. Messages call it `path`. Returns the package's
    root, named as the problem is: as `path` without suffix. Raises as `extract`."""
    inside = directory / ".unpacked"  # no package has this name
    inside.mkdir()
    extract(path, archive, inside)
    return _package_root(path, inside).rename(directory / path.stem)


@contextmanager
def open_zip(path: Path, content: bytes | None = None) -> Iterator[zipfile.ZipFile]:
    """A zip file whose table of contents is no bomb: `content` or, without, what is at `path`. Messages call it `path`.
    Raises as zipfile does, and ProblemError."""
    raw: Any = io.FileIO(path) if content is None else io.BytesIO(content)
    with _Contents(raw) as file:
        file.shown = path
        with zipfile.ZipFile(file) as archive:
            file.shown = None
            yield archive


class _Contents(io.BufferedReader):
    """zipfile reads the table of contents at once."""

    #: How messages call the file, while the table of contents is read.
    shown: Path | None = None

    def read(self, size: int | None = -1, /) -> bytes:
        if self.shown is None:
            return super().read(size)
        if size is not None and size > MAX_CONTENTS_BYTES:
            raise ProblemError(f"{self.shown}: has more than {MAX_ENTRIES} entries; unpack it yourself")
        found = super().read(size)
        if (count := found.count(_ENTRY)) > MAX_ENTRIES:
            raise ProblemError(f"{self.shown}: has {count} entries, more than {MAX_ENTRIES}; unpack it yourself")
        return found


def extract(path: Path, archive: zipfile.ZipFile, directory: Path) -> None:
    """Write the files of `archive` below `directory`; messages call it `path`. Raises as `read_entries`."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    for name, chunks in read_entries(path, archive):
        target = directory / name
        if chunks is None:
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(target, flags, 0o600), "wb") as file:
            file.writelines(chunks)


def read_entries(path: Path, archive: zipfile.ZipFile) -> Iterator[tuple[PurePosixPath, Iterator[bytes] | None]]:
    """Each entry of `archive`, with its content in parts; None: it is a directory.

    Raises:
        ProblemError: it would leave a directory, or is too large.
    """
    entries = archive.infolist()
    if len(entries) > MAX_ENTRIES:
        raise ProblemError(f"{path}: has {len(entries)} entries, more than {MAX_ENTRIES}; unpack it yourself")
    files: set[PurePosixPath] = set()
    directories: set[PurePosixPath] = set()
    left = MAX_TOTAL_BYTES

    def read(entry: zipfile.ZipInfo) -> Iterator[bytes]:
        nonlocal left
        left_of_file = MAX_FILE_BYTES
        with archive.open(entry) as source:
            while chunk := source.read(_CHUNK):
                left, left_of_file = left - len(chunk), left_of_file - len(chunk)
                if min(left, left_of_file) < 0:
                    raise ProblemError(
                        f"{path}: unpacks to more than {MAX_TOTAL_BYTES >> 30} GiB (or {MAX_FILE_BYTES >> 30} GiB in "
                        "one file); if you trust it, unpack it yourself and give the directory"
                    )
                yield chunk

    for entry in entries:
        name = _checked_name(path, entry)
        directories.update(name.parents)
        if name in files or not files.isdisjoint(name.parents) or (name in directories and not entry.is_dir()):
            raise ProblemError(f"{path}: entry {entry.filename!r} is there twice; make the zip again")
        if entry.is_dir():
            directories.add(name)
            yield name, None
            continue
        files.add(name)
        yield name, read(entry)


def _checked_name(path: Path, entry: zipfile.ZipInfo) -> PurePosixPath:
    name = PurePosixPath(entry.orig_filename)
    unsafe = name.is_absolute() or ".." in name.parts or "\\" in entry.orig_filename or "\0" in entry.orig_filename
    if unsafe or not name.parts or any(len(os.fsencode(part)) > 255 for part in name.parts) or len(name.parts) > 32:
        raise ProblemError(f"{path}: entry {entry.orig_filename!r} would leave the package; do not use this zip")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise ProblemError(f"{path}: entry {entry.filename!r} is a link or a device; put a plain file there")
    if entry.flag_bits & 1:
        raise ProblemError(f"{path}: entry {entry.filename!r} is encrypted; make the zip without a password")
    if entry.compress_type not in _METHODS:
        raise ProblemError(
            f"{path}: entry {entry.filename!r} is compressed by method {entry.compress_type}; use deflate"
        )
    return name


def _package_root(path: Path, directory: Path) -> Path:
    """The package's root. A flat archive is moved below a directory with the archive's name, which is the package's."""
    if (directory / "problem.yaml").is_file():
        return directory
    inner = [child for child in directory.iterdir() if child.is_dir() and child.name != "__MACOSX"]
    if len(inner) == 1 and (inner[0] / "problem.yaml").is_file():
        return inner[0]
    raise ProblemError(f"{path}: holds no problem.yaml; zip the package's directory itself")


def private_directory() -> Path:
    """A fresh directory, locked as long as this process lives, or until `give_up`.

    Raises:
        ProblemError: another user could replace it, and with it the answers.
    """
    base = Path(tempfile.gettempdir())
    status = base.stat()
    theirs = status.st_uid not in (0, os.geteuid()) or status.st_mode & 0o002
    if theirs and not status.st_mode & stat.S_ISVTX:
        raise ProblemError(f"others could replace what is unpacked in {base}; unset TMPDIR, or name one of your own")
    _sweep(base)
    while True:
        outer = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))  # mode 0700
        try:
            descriptor = os.open(outer, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:  # another process has swept it already
            continue
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        if outer.is_dir():  # if not, it was swept before we locked it
            _held[outer] = descriptor
            atexit.register(_remove, outer, os.getpid())
            return outer
        os.close(descriptor)


def give_up(directory: Path) -> None:
    """Remove a private directory, or another, before the process ends."""
    shutil.rmtree(directory, ignore_errors=True)
    if (descriptor := _held.pop(directory, None)) is not None:
        os.close(descriptor)


def _remove(outer: Path, owner: int) -> None:
    if os.getpid() == owner and outer in _held:  # not in a forked child, and once
        shutil.rmtree(outer, ignore_errors=True)
        os.close(_held.pop(outer))


def _sweep(base: Path) -> None:
    """Remove what killed processes of this user left behind."""
    for outer in base.glob(f"{_PREFIX}*"):
        try:
            if outer.lstat().st_uid != os.getuid():
                continue
            descriptor = os.open(outer, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(outer, ignore_errors=True)
        except BlockingIOError:
            pass  # in use
        finally:
            os.close(descriptor)
