"""The cache of compiled programs and of problems as they were read: shared by any number of processes and threads,
never trusted when read.

    <directory>/            0711, ours: tiers without mounts must pass through it to `headers/`
    ├── objects/            0700
    │   ├── ab/abcdef…      one entry: header line, then the payload
    │   ├── lock            byte k is the lock of the keys that start with k (open-file-description locks)
    │   └── total           bytes in objects/, kept under the lock of byte TOTAL; missing or wrong: counted anew
    └── headers/            precompiled headers and link objects (judge.headers, judge.linker)
        └── lock            shared while a compiler reads them, exclusive while they are cleared

An entry is written to a temporary name and renamed, so that a reader sees all of it or nothing. Its header holds the
SHA-256 of what follows: an entry that a crash, a full disk or a person damaged is dropped and made again (so entries
need no fsync). Reading touches the file's mtime, which is the order of eviction. Eviction goes down to `_KEEP` of the
limit, so that its scan is paid once in many writes; what a crash left of a temporary file ages and goes the same way.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from judge import config
from judge.errors import ConfigError

_MAGIC = b"judge-cache-1"
_KEEP = 0.9
#: Lock offsets: keys use the low ones.
_TOTAL = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    directory: Path
    entries: int
    objects_bytes: int
    headers_bytes: int
    limit_bytes: int


@contextlib.contextmanager
def writing(directory: Path) -> Iterator[None]:
    """Whatever keeps us from writing there is said with its place and its remedy.

    Raises:
        ConfigError: no space, no permission, or a disk that fails.
        FileNotFoundError: the cache was cleared meanwhile.
    """
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ConfigError(
            f"cannot write the cache at {directory}: {error.strerror}; free space, or set JUDGE_CACHE_DIR"
        ) from error


@contextlib.contextmanager
def locked(path: Path, offset: int = 0, *, shared: bool = False) -> Iterator[None]:
    """Hold a lock on one byte of `path` (created), against other threads and processes alike."""
    with writing(path.parent):
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        # struct flock: type, whence, start, length, pid. Unlike POSIX locks, these belong to the open file.
        kind = fcntl.F_RDLCK if shared else fcntl.F_WRLCK
        fcntl.fcntl(fd, fcntl.F_OFD_SETLKW, struct.pack("hhxxxxqqixxxx", kind, os.SEEK_SET, offset, 1, 0))
        yield
    finally:
        os.close(fd)


def write_atomically(path: Path, content: bytes, *, mode: int = 0o600, sync: bool = True) -> None:
    """Readers see the old file or the whole new one; with `sync` also after a crash.

    Raises:
        ConfigError: no space, or no permission.
    """
    with writing(path.parent):
        _write_atomically(path, content, mode, sync)


def _write_atomically(path: Path, content: bytes, mode: int, sync: bool) -> None:
    temporary = f"{path.parent}/.new-{os.urandom(8).hex()}"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(fd, mode)
            if sync:
                os.fsync(fd)
        Path(temporary).rename(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


class Cache:
    """Keys are hexadecimal SHA-256 sums; values are bytes."""

    def __init__(self, directory: Path | None = None, limit_bytes: int | None = None) -> None:
        """
        Raises:
            ConfigError: the directory cannot be made, or others may write it.
        """
        self.directory = config.cache_directory() if directory is None else directory.absolute()
        self.limit_bytes = config.cache_limit_bytes() if limit_bytes is None else limit_bytes
        self._objects = self.directory / "objects"
        self._shards = f"{self._objects}/"
        self.headers = self.directory / "headers"
        self._make_directories()

    def get(self, key: str) -> bytes | None:
        """The value, verified; None: not there, or damaged (then it is gone now)."""
        try:
            data = _read(f"{self._shards}{key[:2]}/{key}")
        except OSError:
            return None
        header, _, payload = data.partition(b"\n")
        if header != _header(key, payload):
            self._remove([self._path(key)])
            return None
        return payload

    def put(self, key: str, value: bytes) -> None:
        path = self._path(key)
        self._make_directories()  # somebody may have removed it by hand
        try:
            with writing(self._objects):
                path.parent.mkdir(mode=0o700, exist_ok=True)
            before = _size(path)
            write_atomically(path, _header(key, value) + b"\n" + value, sync=False)
            grown = _size(path) - before
        except FileNotFoundError:
            return  # cleared meanwhile
        with locked(self._objects / "lock", _TOTAL):
            total = self._read_total() + grown
            self._write_total(self._evict(self.limit_bytes) if total > self.limit_bytes else total)

    def lock(self, key: str) -> contextlib.AbstractContextManager[None]:
        """One maker a key: hold this while you look again, make and put."""
        self._make_directories()
        return locked(self._objects / "lock", int(key[:15], 16))

    def stats(self) -> Stats:
        files = self._files()
        return Stats(
            directory=self.directory,
            entries=len(files),
            objects_bytes=sum(size for _, size, _ in files),
            headers_bytes=sum(_size(path) for path in self.headers.rglob("*") if path.is_file()),
            limit_bytes=self.limit_bytes,
        )

    def prune(self, limit_bytes: int | None = None) -> int:
        """Drop the entries unused for longest until the rest fits; returns the bytes freed."""
        with locked(self._objects / "lock", _TOTAL):
            before = sum(size for _, size, _ in self._files())
            after = self._evict(self.limit_bytes if limit_bytes is None else limit_bytes, keep=1.0)
            self._write_total(after)
        return before - after

    def clear(self) -> int:
        """Drop all entries and all precompiled headers; returns the bytes freed."""
        freed = self.prune(0)
        with locked(self.headers / "lock"):
            for path in sorted(self.headers.rglob("*"), reverse=True):
                if path.name == "lock":
                    continue
                with contextlib.suppress(OSError):  # a directory that holds a lock
                    freed += _size(path) if path.is_file() else 0
                    path.rmdir() if path.is_dir() else path.unlink()
        return freed

    def _make_directories(self) -> None:
        places = (self.directory, self._objects, self.headers)
        try:
            try:
                modes = [os.stat(path).st_mode for path in places]  # noqa: PTH116 - at every compile: half the time
            except FileNotFoundError:
                self.directory.mkdir(mode=0o711, parents=True, exist_ok=True)
                self._objects.mkdir(mode=0o700, exist_ok=True)
                self.headers.mkdir(mode=0o755, exist_ok=True)
                modes = [path.stat().st_mode for path in places]
            loose = [path for path, mode in zip(places, modes, strict=True) if mode & 0o022]
        except OSError as error:
            raise ConfigError(
                f"cannot use the cache directory {self.directory}: {error.strerror}; set JUDGE_CACHE_DIR to another"
            ) from error
        if loose:
            raise ConfigError(f"others may write the cache: run `chmod go-w {loose[0]}`, or set JUDGE_CACHE_DIR")

    def _path(self, key: str) -> Path:
        return self._objects / key[:2] / key

    def _files(self) -> list[tuple[int, int, Path]]:
        """(mtime_ns, bytes, path) of every entry, oldest first."""
        found = []
        for shard in self._objects.iterdir():
            if not shard.is_dir():
                continue
            for entry in os.scandir(shard):
                with contextlib.suppress(FileNotFoundError):  # evicted or renamed by another process
                    status = entry.stat()
                    found.append((status.st_mtime_ns, status.st_size, Path(entry.path)))
        return sorted(found)

    def _evict(self, limit_bytes: int, keep: float = _KEEP) -> int:
        """Under the total's lock: drop the oldest beyond `limit_bytes`; returns the bytes left."""
        files = self._files()
        total = sum(size for _, size, _ in files)
        if total <= limit_bytes:
            return total
        for _, size, path in files:
            if total <= limit_bytes * keep:
                break
            with contextlib.suppress(OSError):
                path.unlink()
                total -= size
        return total

    def _remove(self, paths: list[Path]) -> None:
        with locked(self._objects / "lock", _TOTAL):
            total = self._read_total()
            for path in paths:
                size = _size(path)
                path.unlink(missing_ok=True)
                total -= size
            self._write_total(max(0, total))

    def _read_total(self) -> int:
        try:
            return int((self._objects / "total").read_bytes())
        except (OSError, ValueError):
            return sum(size for _, size, _ in self._files())

    def _write_total(self, total: int) -> None:
        with writing(self._objects):
            (self._objects / "total").write_bytes(b"%d" % total)


def _header(key: str, payload: bytes) -> bytes:
    return b"%s %s %s" % (_MAGIC, key.encode(), hashlib.sha256(payload).hexdigest().encode())


def _read(path: str) -> bytes:
    """A file, which counts as used now. (Thousands a second: a Path and a file object would take twice as long.)"""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        size = os.fstat(fd).st_size
        data = os.read(fd, size)
        while len(data) < size and (more := os.read(fd, size - len(data))):
            data += more
        with contextlib.suppress(OSError):
            os.utime(fd)
        return data
    finally:
        os.close(fd)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
