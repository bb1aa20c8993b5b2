"""Files below a directory that others can write, opened by descriptors alone: nothing outside of it is ever read.

Each step of a way is opened in the directory before it, without following a link. So a link that somebody puts there
meanwhile is met as a link, and a directory that is moved away is only read, never left. Devices and FIFOs are not
opened for more than a look at what they are.

    read_files   every file below a directory that a stranger wrote; a link is refused
    open_file    one file of a package, whose links may lead to other files of the package
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
#: Not blocking: somebody may put a FIFO in the file's place.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
#: How deep directories may be nested, each of which holds a descriptor; and how many links one way may have.
_MOST_DEEP, _MOST_LINKS = 32, 40


class Refused(Exception):
    """What lies there is not read. The text names it, and says why."""


def read_files(directory: Path, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """(path below the directory, content) of its files, those of a directory before those of directories in it; of a
    content, one byte more than `most_bytes` at most. Hidden names are left out. The directory itself may be a link.

    Raises:
        Refused: one is neither a file nor a directory, or is a link to somebody else's file.
        OSError: one cannot be read.
    """
    root = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield from _read_below(root, PurePosixPath(), directory, most_bytes, _MOST_DEEP)
    finally:
        os.close(root)


def _read_below(
    parent: int, place: PurePosixPath, directory: Path, most_bytes: int, deeper: int
) -> Iterator[tuple[str, bytes]]:
    below = []
    owner = os.fstat(parent).st_uid
    for name in sorted(name for name in os.listdir(parent) if not name.startswith(".")):
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode):
            below.append(name)
        else:
            yield str(place / name), _read(parent, name, owner, directory / place / name, most_bytes)
    if below and not deeper:
        raise Refused(f"{directory / place / below[0]}: directories are nested too deeply; flatten them")
    for name in below:
        try:
            child = os.open(name, _DIRECTORY, dir_fd=parent)
        except OSError as error:
            raise _make_refusal(directory / place / name, error, "a symbolic link") from error
        try:
            yield from _read_below(child, place / name, directory, most_bytes, deeper - 1)
        finally:
            os.close(child)


def _read(parent: int, name: str, owner: int, shown: Path, most_bytes: int) -> bytes:
    descriptor = _open_regular(parent, name, shown)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if status.st_nlink > 1 and status.st_uid != owner:
            raise Refused(f"{shown}: is a link to a file of another user; put a copy of the file there")
        return file.read(most_bytes + 1)


def _open_regular(parent: int, name: str, shown: Path) -> int:
    """A descriptor of a file that was no link, and is a regular file."""
    _check_regular(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode, shown)  # opening a device may do things
    try:
        descriptor = os.open(name, _FILE, dir_fd=parent)
    except OSError as error:
        raise _make_refusal(shown, error, "a symbolic link") from error
    try:
        _check_regular(os.fstat(descriptor).st_mode, shown)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check_regular(mode: int, shown: Path) -> None:
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "no regular file")
        raise Refused(f"{shown}: is {kind}; put the file itself there")


def _make_refusal(shown: Path, error: OSError, kind: str) -> Exception:
    """A link where none was a moment ago is refused as a link; any other failure is itself."""
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return Refused(f"{shown}: is {kind}; put the file itself there")
    return error


def open_file(root: Path, path: Path) -> int:
    """A descriptor of a regular file below `root`, which may be a link. A link on the way may lead to another place
    below the root.

    Raises:
        Refused: it is no regular file, or a link leaves the root.
        OSError: it cannot be opened.
    """
    with ExitStack() as closing:
        way = [_open_directory(closing, root)]
        left, links = [*reversed(path.relative_to(root).parts)], 0
        while left:
            name = left.pop()
            if name == "..":
                if len(way) == 1:
                    raise _leaves(path)
                way.pop()
                continue
            mode = os.stat(name, dir_fd=way[-1], follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                links += 1
                target = PurePosixPath(os.readlink(name, dir_fd=way[-1]))
                if links > _MOST_LINKS:
                    raise _leaves(path)
                if target.is_absolute():
                    target, way = _beneath(root, target, path), way[:1]
                left += reversed(target.parts)
            elif left:
                way.append(_open_directory(closing, name, way[-1], path))
            else:
                return _open_regular(way[-1], name, path)
    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def _open_directory(closing: ExitStack, name: str | Path, parent: int | None = None, shown: Path | None = None) -> int:
    flags = _DIRECTORY if parent is not None else _DIRECTORY & ~os.O_NOFOLLOW
    try:
        descriptor = os.open(name, flags, dir_fd=parent)
    except OSError as error:
        raise error if shown is None else _make_refusal(shown, error, "reached through what is no directory") from error
    closing.callback(os.close, descriptor)
    return descriptor


def _beneath(root: Path, target: PurePosixPath, path: Path) -> PurePosixPath:
    """Where an absolute link leads, from the root on."""
    for start in (root, root.resolve()):
        if target.is_relative_to(start):
            return target.relative_to(start)
    raise _leaves(path)


def _leaves(path: Path) -> Refused:
    return Refused(f"{path}: is a symbolic link that leaves the package; put a copy of the file there")
