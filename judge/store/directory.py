"""Opens directories that nobody else can change, and files in them. Whoever can write the cache chooses its verdicts.

the path        every directory from / on belongs to root or to us, and so does a symbolic link on it; others may write
                such a directory only if it is sticky (/tmp), where they cannot replace what is ours
the directory   belongs to us, and nobody else may write it
below           we look names up from the directory's descriptor, never through a link; a file that we open is regular,
                has one name, belongs to us or to root, and nobody else may write it

We check the path once, when we open the directory. After that nobody else can lead us elsewhere.
"""

from __future__ import annotations

import errno
import fcntl
import grp
import os
import pwd
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path, PurePath
from typing import Self

from judge.common.errors import ConfigError

#: O_NONBLOCK: a pipe in the place of a file is refused, not waited for.
_FILE = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PATH = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_LINKS = 40


class NotOurs(ConfigError, OSError):
    """A directory or file that somebody else made or can change. `strerror` says who, or how to mend it."""

    def __init__(self, path: Path | str, why: str) -> None:
        super().__init__(errno.EPERM, why, str(path))

    def __str__(self) -> str:
        return f"{self.filename} {self.strerror}" if self.filename else " ".join(map(str, self.args))


def reason(error: Exception) -> str:
    """The error in words for people, without its number."""
    if isinstance(error, OSError) and not isinstance(error, NotOurs):
        return error.strerror or str(error)
    return str(error)


@contextmanager
def writing(directory: Path) -> Iterator[None]:
    """Turn an OSError of a write there into a ConfigError with the place and the remedy.

    Raises:
        ConfigError: no space, no permission, or a disk that fails.
    """
    try:
        yield
    except OSError as error:
        raise ConfigError(
            f"cannot write the cache at {directory}: {reason(error)}; free space, or set JUDGE_CACHE_DIR"
        ) from error


class Directory:
    """One of our directories, open until nobody uses this object."""

    __slots__ = ("fd", "path")

    def __init__(self, fd: int, path: Path) -> None:
        self.fd, self.path = fd, path

    @classmethod
    def at(cls, path: Path, mode: int) -> Directory:
        """The directory at an absolute path, made with this mode if it does not exist.

        Raises:
            NotOurs: it is somebody else's, or somebody else could replace it.
            OSError: it cannot be made or opened.
        """
        fd = _walk(path, mode)
        try:
            check(os.fstat(fd), path)
            if os.fstat(fd).st_uid != os.geteuid():  # root's: we trust it, but it is not ours to fill
                raise NotOurs(path, f"belongs to {_name(0)}, not to {_name(os.geteuid())}")
            return cls(os.open(".", _DIRECTORY, dir_fd=fd), path)
        finally:
            os.close(fd)

    @classmethod
    def of(cls, path: Path) -> Directory:
        """A directory that the caller trusts: not checked."""
        return cls(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC), path)

    def directory(self, name: str, mode: int | None = None) -> Directory:
        """A directory in this one, made with this mode if it does not exist; None: not made.

        Raises:
            NotOurs: it is somebody else's, or a link.
            OSError: it cannot be made or opened.
        """
        path = self.path / name
        try:
            fd = os.open(name, _DIRECTORY, dir_fd=self.fd)
        except FileNotFoundError:
            if mode is None:
                raise
            _make(name, mode, self.fd)
            fd = os.open(name, _DIRECTORY, dir_fd=self.fd)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise NotOurs(path, "is a link or a file, no directory: remove it") from error
            raise
        opened = Directory(fd, path)
        check(os.fstat(fd), path)
        return opened

    def open(self, name: str, flags: int) -> int:
        """A file in this directory, for the caller to close.

        Raises:
            NotOurs: it is somebody else's, or not a regular file with one name.
            OSError: it cannot be made or opened.
        """
        try:
            fd = os.open(name, flags | _FILE, 0o600, dir_fd=self.fd)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO):
                raise NotOurs(self.path / name, "is a link or a pipe, no file: remove it") from error
            raise
        try:
            check_file(os.fstat(fd), self.path / name)
        except BaseException:
            os.close(fd)
            raise
        return fd

    def read(self, name: str) -> bytes:
        fd = self.open(name, os.O_RDONLY)
        try:
            return read_all(fd, os.fstat(fd).st_size)
        finally:
            os.close(fd)

    def replace(self, name: str, content: bytes, *, mode: int = 0o600, sync: bool = False) -> None:
        """Write a file so that readers see the old one or the whole new one; with `sync` even after a crash."""
        temporary = f".new-{os.urandom(8).hex()}"
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, 0o600, dir_fd=self.fd)
        try:
            try:
                left = memoryview(content)
                while left:
                    left = left[os.write(fd, left) :]
                os.fchmod(fd, mode)
                if sync:
                    os.fsync(fd)
            finally:
                os.close(fd)  # may fail, too, if a file server has no space left
            os.rename(temporary, name, src_dir_fd=self.fd, dst_dir_fd=self.fd)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=self.fd)
            raise

    def names(self) -> list[str]:
        return os.listdir(self.fd)  # noqa: PTH208 - a Path knows no descriptor

    def size(self, name: str = ".") -> int:
        """Bytes of all files below; files that vanish meanwhile do not count."""
        total = 0
        with suppress(FileNotFoundError):
            for _, _, names, fd in os.fwalk(name, dir_fd=self.fd):
                for each in names:
                    with suppress(FileNotFoundError):
                        total += os.stat(each, dir_fd=fd, follow_symlinks=False).st_size
        return total

    def remove(self, name: str) -> int:
        """Remove a file, a link or a directory with all below, as far as possible; returns the bytes freed."""
        with suppress(FileNotFoundError):
            status = os.stat(name, dir_fd=self.fd, follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                from shutil import rmtree  # noqa: PLC0415 - slow to import, and seldom needed

                before = after = 0
                with suppress(OSError):  # for want of a descriptor
                    before = self.size(name)
                rmtree(name, ignore_errors=True, dir_fd=self.fd)
                with suppress(OSError):
                    after = self.size(name)
                return max(0, before - after)
            with suppress(OSError):
                os.unlink(name, dir_fd=self.fd)
                return status.st_size if stat.S_ISREG(status.st_mode) else 0
        return 0

    def check_below(self, name: str) -> None:
        """
        Raises:
            NotOurs: something below the directory of that name is somebody else's.
        """
        path = self.path / name
        check(os.stat(name, dir_fd=self.fd, follow_symlinks=False), path)
        for root, directories, files, fd in os.fwalk(name, dir_fd=self.fd):
            for each in (*directories, *files):
                with suppress(FileNotFoundError):
                    status = os.stat(each, dir_fd=fd, follow_symlinks=False)
                    judge_ = check if stat.S_ISDIR(status.st_mode) else check_file
                    judge_(status, self.path / root / each)

    def lock(self, name: str, offset: int = 0, *, shared: bool = False, wait: bool = True) -> Lock:
        """A context that holds a lock on one byte of a file, which is created if needed."""
        return Lock(self, name, offset, shared=shared, wait=wait)

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __del__(self) -> None:
        self.close()


class Lock:
    """A lock on one byte of a file, against other threads and other processes: unlike POSIX locks, it belongs to the
    open file. Where the disk grants no lock (read-only, full), `held` stays False and work goes on: whoever makes
    something renames it into place."""

    __slots__ = ("_directory", "_fd", "_how", "_name", "_offset", "held")

    def __init__(self, directory: Directory, name: str, offset: int, *, shared: bool, wait: bool) -> None:
        self._directory, self._name, self._offset = directory, name, offset
        self._how = shared, wait
        self._fd: int | None = None
        self.held = False

    def __enter__(self) -> Self:
        """
        Raises:
            NotOurs: as `Directory.open`.
        """
        for flags in (os.O_RDWR | os.O_CREAT, os.O_RDONLY):
            try:
                self._fd = self._directory.open(self._name, flags)
                break
            except NotOurs:
                raise
            except OSError:
                continue
        shared, wait = self._how
        self.take(shared=shared, wait=wait)
        return self

    def take(self, *, shared: bool = False, wait: bool = True) -> None:
        """Take the lock, or change it from exclusive to shared without letting go; `held` says whether it worked."""
        kind, command = fcntl.F_RDLCK if shared else fcntl.F_WRLCK, fcntl.F_OFD_SETLKW if wait else fcntl.F_OFD_SETLK
        self.held = self._set(kind, command)

    def release(self) -> None:
        self._set(fcntl.F_UNLCK, fcntl.F_OFD_SETLK)
        self.held = False

    def _set(self, kind: int, command: int) -> bool:
        if self._fd is None:
            return False
        try:  # struct flock: type, whence, start, length, pid
            fcntl.fcntl(self._fd, command, struct.pack("hhxxxxqqixxxx", kind, os.SEEK_SET, self._offset, 1, 0))
        except OSError:  # somebody else holds it; a file system without locks; a file opened for reading only
            return False
        return True

    def __exit__(self, *_: object) -> None:
        fd, self._fd, self.held = self._fd, None, False
        if fd is not None:
            os.close(fd)


def lock_file(path: Path, offset: int = 0, *, shared: bool = False) -> Lock:
    """As `Directory.lock`, of a file in a directory that the caller trusts."""
    return Directory.of(path.parent).lock(path.name, offset, shared=shared)


def write_atomically(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """As `Directory.replace`, with `sync`, in a directory that is known to be ours.

    Raises:
        ConfigError: no space, or no permission.
    """
    with writing(path.parent):
        Directory.of(path.parent).replace(path.name, content, mode=mode, sync=True)


def make_below(top: Path, path: Path, mode: int = 0o755) -> None:
    """Make the directories from `top`, which is ours, down to `path`, with this mode (the umask does not matter)."""
    for directory in (*reversed([up for up in path.parents if up.is_relative_to(top)]), path):
        if not directory.is_dir():
            _make(str(directory), mode)


def read_all(fd: int, size: int) -> bytes:
    data = os.read(fd, size)
    while len(data) < size and (more := os.read(fd, size - len(data))):
        data += more
    return data


def check(status: os.stat_result, path: Path | str) -> None:
    """
    Raises:
        NotOurs: not a directory of ours or of root's, or others may write it.
    """
    if not stat.S_ISDIR(status.st_mode):
        raise NotOurs(path, "is a link or a file, no directory: remove it")
    _check_owner(status, path)
    if status.st_mode & 0o022:
        raise NotOurs(path, f"may be written by others: run `chmod go-w {path}`")


def check_file(status: os.stat_result, path: Path | str) -> None:
    """
    Raises:
        NotOurs: not a regular file of ours or of root's with one name, or others may write it.
    """
    if not stat.S_ISREG(status.st_mode):
        raise NotOurs(path, "is no regular file: remove it")
    _check_owner(status, path)
    if status.st_nlink > 1:
        raise NotOurs(path, "has another name: remove it")
    if status.st_mode & 0o022:
        raise NotOurs(path, f"may be written by others: run `chmod go-w {path}`")


def _check_owner(status: os.stat_result, path: Path | str, *also: int | None) -> None:
    if status.st_uid not in (0, os.geteuid(), *also):
        raise NotOurs(path, f"belongs to {_name(status.st_uid)}, not to {_name(os.geteuid())}")


def _walk(path: Path, mode: int) -> int:
    """Open a directory, one name of its path at a time, and check each directory and link on the path."""
    fd, here, left, links = os.open("/", _PATH), Path("/"), [*reversed(path.parts[1:])], 0
    try:
        _check_way(os.fstat(fd), here)
        while left:
            name = left.pop()
            child = _enter(fd, name, 0o755 if left else mode)
            status = os.fstat(child)
            if stat.S_ISLNK(status.st_mode):
                try:
                    _check_owner(status, here / name, _find_unmapped())
                    target = PurePath(os.readlink("", dir_fd=child))
                finally:
                    os.close(child)
                links += 1
                if links > _MOST_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
                left += reversed(target.parts)
                continue
            os.close(fd)
            fd, here = child, here / name
            if not stat.S_ISDIR(status.st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(here))
            if left:
                _check_way(status, here)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _enter(fd: int, name: str, mode: int) -> int:
    with suppress(FileNotFoundError):
        return os.open(name, _PATH, dir_fd=fd)  # an absolute link begins with "/", which leads to the root again
    _make(name, mode, fd)
    return os.open(name, _PATH, dir_fd=fd)


def _make(name: str, mode: int, fd: int | None = None) -> None:
    """Make a directory with this mode (the umask does not matter)."""
    with suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=fd)
        os.chmod(name, mode, dir_fd=fd)


def _check_way(status: os.stat_result, path: Path) -> None:
    _check_owner(status, path, _find_unmapped())
    if _others_may_write(status) and not status.st_mode & stat.S_ISVTX:
        raise NotOurs(path, f"may be written by others, who could replace what is in it: run `chmod go-w {path}`")


def _others_may_write(status: os.stat_result) -> bool:
    """Whether anybody else may write. A group of the user or of root alone, as with umask 002, is nobody else."""
    if not status.st_mode & 0o020 or status.st_mode & 0o002:
        return bool(status.st_mode & 0o002)
    try:
        group, user = grp.getgrgid(status.st_gid), pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return True
    return group.gr_name not in ("root", user) or not {"root", user}.issuperset(group.gr_mem)


@cache
def _find_unmapped() -> int | None:
    """The owner that files show in a user namespace if their owner has no number there, such as the machine's root."""
    try:
        ranges = [tuple(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines()]
        overflow = int(Path("/proc/sys/kernel/overflowuid").read_text())
    except (OSError, ValueError):
        return None
    return None if any(first <= overflow < first + count for first, _, count in ranges) else overflow


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
