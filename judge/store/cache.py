"""The cache of compiled programs and of parsed problems. Any number of processes and threads share it, and each read
is verified.

    <directory>/            0711, ours: where nothing can be mounted, programs must pass through it to `headers/`
    ├── objects/            0700
    │   ├── ab/abcdef…      one entry: header line, then the payload
    │   ├── lock            byte k is the lock of the keys that start with k (open-file-description locks)
    │   └── total           bytes in objects/ and testdata/, kept under the lock of byte TOTAL; if missing or wrong,
    │                       counted anew
    ├── testdata/           0700
    │   ├── abcdef…/        one set of generated test data (judge.judging.generated); .new-abcdef… while it is made
    │   └── lock            a byte for each set: shared while it is read, exclusive while it is made or evicted
    └── headers/            precompiled headers and link objects, made by judge.compiling
        └── lock            shared while a compiler reads them, exclusive while they are cleared

An entry is written to a temporary name and renamed, so a reader sees all of it or nothing. Its header holds the SHA-256
of what follows: an entry that a crash, a full disk or a person damaged is dropped and made again (so entries need no
fsync). Reading sets the file's mtime; eviction removes the entries with the oldest mtime first. It goes down to `_KEEP`
of the limit, so that it scans once in many writes. It removes temporary files that a crash left in the same way.

The hashes protect from accidents, not from people: whoever may write here chooses verdicts. `judge.store.directory`
says who may. We reach everything from descriptors of directories that were checked.

A disk that is full, read-only or broken costs time, not judgements. If a write fails:

    put                     the value is not kept; the log says so once, `judge cache` and `judge doctor` always
    total                   it is removed, and the next put counts anew
    lock (any)              it is not held: two may make the same thing, and each renames its own into place
    testdata/<key>          ConfigError, as nothing can be judged without it; no half-made set stays
    headers: linker, library                    ConfigError, likewise
    headers: .gch, frontend.json, seen          programs are compiled without; we try again a minute later
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from judge.common import config
from judge.common.errors import ConfigError
from judge.store.directory import Directory, NotOurs, check_file, read_all, reason, writing

_log = logging.getLogger(__name__)

_MAGIC = b"judge-cache-1"
_KEEP = 0.9
#: Lock offsets: keys use the low ones.
_TOTAL = 1 << 62
_LOCK = "lock"
_NEW = ".new-"
_ENTRY = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
#: How often the use of a toolchain is noted on disk.
_NOTED_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    directory: Path
    entries: int
    objects_bytes: int
    sets: int
    testdata_bytes: int
    headers_bytes: int
    #: Of objects and test data together.
    limit_bytes: int
    #: Why nothing can be written; None: it can.
    problem: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """What eviction removes as a whole: an entry, or a set of test data."""

    used_ns: int
    size: int
    #: Path below objects/ (with the shard) or testdata/.
    name: str
    is_set: bool


class Cache:
    """Keys are hexadecimal SHA-256 sums; values are bytes."""

    def __init__(self, directory: Path | None = None, limit_bytes: int | None = None) -> None:
        """
        Raises:
            ConfigError: the directory cannot be made, belongs to somebody else, or others may write it.
        """
        self.directory = config.cache_directory() if directory is None else directory.absolute()
        self._remedy = config.another_cache() if directory is None else "name a directory of your own"
        self.limit_bytes = config.cache_limit_bytes() if limit_bytes is None else limit_bytes
        self.headers = self.directory / "headers"
        self._complained = False
        self._open()

    def get(self, key: str) -> bytes | None:
        """The value, verified; None: it is missing, or was damaged (then it is dropped)."""
        objects = self._objects  # another thread may replace self._objects, and that would close it
        try:
            data = _read(objects.fd, key)
        except OSError:
            return None
        header, _, payload = data.partition(b"\n")
        if header != _header(key, payload):
            self._drop(key)
            return None
        return payload

    def put(self, key: str, value: bytes) -> None:
        """Keep the value, if possible. Raises nothing."""
        try:
            objects = self._current()
            shard = objects.directory(key[:2], 0o700)
            before = _size(shard, key)
            shard.replace(key, _header(key, value) + b"\n" + value)
            self._add(_size(shard, key) - before)
        except FileNotFoundError:
            return  # cleared meanwhile
        except (OSError, ConfigError) as error:
            self._complain(error)

    def lock(self, key: str) -> contextlib.AbstractContextManager[object]:
        """The lock of a key, so that only one makes its value. Hold it while you get again, make and put.

        Raises:
            ConfigError: the directory can no longer be used.
        """
        return self._current().lock(_LOCK, int(key[:15], 16))

    def reading_headers(self) -> contextlib.AbstractContextManager[object]:
        """While this is held nobody clears the precompiled headers.

        Raises:
            ConfigError: the directory can no longer be used.
        """
        self._current("headers")
        return self._headers.lock(_LOCK, shared=True)

    def toolchain(self, identity: str) -> Path:
        """The directory of a toolchain in headers/, which may not exist yet; all that is in it is ours.

        We check it once: nobody else can change it later. One that is not ours is moved aside, and made anew.

        Raises:
            ConfigError: it is somebody else's, and cannot be moved aside.
        """
        if time.monotonic() - self._toolchains.get(identity, -_NOTED_S) >= _NOTED_S:
            headers = self._headers
            if identity not in self._toolchains:
                self._check_toolchain(headers, identity)
            self._toolchains[identity] = time.monotonic()
            with contextlib.suppress(OSError):  # it does not exist yet; a read-only disk
                os.utime(identity, dir_fd=headers.fd, follow_symlinks=False)
        return self.headers / identity

    def set_directory(self, name: str) -> Path:
        """The path of a set of test data, valid within `holding`."""
        return self.directory / "testdata" / name

    @contextlib.contextmanager
    def holding(self, name: str, whole: Callable[[Path], bool], make: Callable[[Path], None]) -> Iterator[Path]:
        """The path of a set of test data, which nobody evicts within this context. `make` makes it if not `whole`.

        Raises:
            ConfigError: it cannot be written.
        """
        self._current()
        path = self.set_directory(name)
        with writing(path.parent):
            sets = self._top.directory("testdata", 0o700)
            held = sets.lock(_LOCK, _byte(name), shared=True)
        with held as lock:
            if not whole(path):
                lock.release()  # first: two that held shared locks would wait for each other for ever
                lock.take()
                if not whole(path):
                    self._make_set(sets, name, make)
                lock.take(shared=True)
            with contextlib.suppress(OSError):  # a read-only disk
                os.utime(name, dir_fd=sets.fd)
            yield path

    def stats(self) -> Stats:
        items = self._items()
        entries = [item.size for item in items if not item.is_set]
        sets = [item.size for item in items if item.is_set]
        return Stats(
            directory=self.directory,
            entries=len(entries),
            objects_bytes=sum(entries),
            sets=len(sets),
            testdata_bytes=sum(sets),
            headers_bytes=self._headers.size(),
            limit_bytes=self.limit_bytes,
            problem=self.problem(),
        )

    def problem(self) -> str | None:
        """Why nothing can be written now; None: it can."""
        try:
            self._objects.replace("probe", bytes(4096))
            self._objects.remove("probe")
        except OSError as error:
            return reason(error)
        return None

    def prune(self, limit_bytes: int | None = None) -> int:
        """Drop the entries and sets that were unused for longest until the rest fits; returns the bytes freed.

        Raises:
            ConfigError: the directory cannot be written.
        """
        with writing(self.directory), self._objects.lock(_LOCK, _TOTAL):
            before = sum(item.size for item in self._items())
            after = self._evict(self.limit_bytes if limit_bytes is None else limit_bytes, keep=1.0)
            self._write_total(after)
        return before - after

    def clear(self) -> int:
        """Drop all entries, all test data that nobody reads now and all precompiled headers; returns the bytes freed.

        Raises:
            ConfigError: the directory cannot be written.
        """
        with writing(self.directory), self._objects.lock(_LOCK, _TOTAL):
            freed = sum(self._remove_set(name) for name in self._set_names())
            freed += sum(self._objects.remove(name) for name in self._objects.names() if name not in (_LOCK, "total"))
            self._objects.remove("total")
        with writing(self.directory), self._headers.lock(_LOCK):
            return freed + sum(self._headers.remove(name) for name in self._headers.names() if name != _LOCK)

    def close(self) -> None:
        """Close the directories. Afterwards nothing is found or kept."""
        for directory in (self._top, self._objects, self._headers):
            directory.close()

    def _open(self) -> None:
        """
        Raises:
            ConfigError: as `__init__`.
        """
        try:
            self._top = Directory.at(self.directory, 0o711)
            self._objects = self._top.directory("objects", 0o700)
            self._headers = self._top.directory("headers", 0o755)
        except NotOurs as error:
            raise ConfigError(
                f"cannot trust the cache directory {self.directory}, whose writers choose verdicts: {error}; "
                f"{self._remedy}"
            ) from error
        except OSError as error:
            raise ConfigError(
                f"cannot use the cache directory {self.directory}: {error.strerror}; set JUDGE_CACHE_DIR to another"
            ) from error
        #: When a toolchain's use was noted, by its identity.
        self._toolchains: dict[str, float] = {}
        self._opened = {"objects": _place(self._objects.fd), "headers": _place(self._headers.fd)}

    def _current(self, name: str = "objects") -> Directory:
        """objects/. Opens all directories anew if somebody has removed `name` by hand.

        Raises:
            ConfigError: as `__init__`.
        """
        try:
            if _place(f"{self.directory}/{name}") == self._opened[name]:
                return self._objects
        except OSError:
            pass
        self._open()
        return self._objects

    def _check_toolchain(self, headers: Directory, identity: str) -> None:
        try:
            headers.check_below(identity)
        except FileNotFoundError:
            return
        except NotOurs as error:
            _log.warning("%s is put aside, and all that is made for this compiler is made anew: %s", identity, error)
            aside = f"{_NEW}{os.urandom(8).hex()}"
            with writing(headers.path), contextlib.suppress(FileNotFoundError):  # another process was faster
                os.rename(identity, aside, src_dir_fd=headers.fd, dst_dir_fd=headers.fd)
            headers.remove(aside)

    def _make_set(self, sets: Directory, name: str, make: Callable[[Path], None]) -> None:
        """Call with the set's exclusive lock."""
        building = f"{_NEW}{name}"
        for left in (building, name):  # left half made by a process that was killed
            sets.remove(left)
        made: Directory | None = None
        try:
            with writing(sets.path):
                made = sets.directory(building, 0o700)
                make(made.path)
                os.rename(building, name, src_dir_fd=sets.fd, dst_dir_fd=sets.fd)
        except BaseException:
            if made is not None:
                made.close()  # removing needs a descriptor, which may have been the last one
            sets.remove(building)
            raise
        try:
            self._add(made.size())
        except OSError as error:
            self._complain(error)

    def _items(self) -> list[_Item]:
        """All entries and sets, those unused for longest first."""
        found = []
        for shard in self._objects.names():
            with contextlib.suppress(OSError):  # a file; evicted or renamed by another process
                opened = self._objects.directory(shard)
                with os.scandir(opened.fd) as entries:
                    for entry in entries:
                        with contextlib.suppress(FileNotFoundError):
                            status = entry.stat(follow_symlinks=False)
                            name, used_ns = f"{shard}/{entry.name}", status.st_mtime_ns
                            found.append(_Item(used_ns=used_ns, size=status.st_size, name=name, is_set=False))
        for name in self._set_names():
            with contextlib.suppress(OSError):
                sets = self._sets()
                used_ns = os.stat(name, dir_fd=sets.fd, follow_symlinks=False).st_mtime_ns
                found.append(_Item(used_ns=used_ns, size=sets.size(name), name=name, is_set=True))
        return sorted(found, key=lambda item: item.used_ns)

    def _sets(self) -> Directory:
        """testdata/. Raises OSError before the first set is made."""
        return self._top.directory("testdata")

    def _set_names(self) -> list[str]:
        try:
            return [name for name in self._sets().names() if name != _LOCK]
        except OSError:
            return []

    def _evict(self, limit_bytes: int, keep: float = _KEEP) -> int:
        """Drop what was unused for longest beyond `limit_bytes`; returns the bytes left. Call with the total's lock."""
        items = self._items()
        total = sum(item.size for item in items)
        if total <= limit_bytes:
            return total
        for item in items:
            if total <= limit_bytes * keep:
                break
            total -= self._remove_set(item.name) if item.is_set else self._objects.remove(item.name)
        return total

    def _remove_set(self, name: str) -> int:
        """Remove a set unless somebody reads or makes it; returns the bytes freed."""
        try:
            sets = self._sets()
            with sets.lock(_LOCK, _byte(name.removeprefix(_NEW)), wait=False) as lock:
                return sets.remove(name) if lock.held else 0
        except OSError:
            return 0

    def _add(self, size: int) -> None:
        with self._objects.lock(_LOCK, _TOTAL):
            total = self._read_total() + size
            self._write_total(self._evict(self.limit_bytes) if total > self.limit_bytes else max(0, total))

    def _drop(self, key: str) -> None:
        with contextlib.suppress(OSError):  # a read-only disk
            self._add(-self._objects.remove(f"{key[:2]}/{key}"))

    def _read_total(self) -> int:
        try:
            return int(self._objects.read("total"))
        except (OSError, ValueError):
            return sum(item.size for item in self._items())

    def _write_total(self, total: int) -> None:
        """Overwrite it in place, which needs no space on the disk."""
        try:
            fd = self._objects.open("total", os.O_WRONLY | os.O_CREAT)
            try:
                os.pwrite(fd, b"%020d" % total, 0)
                os.ftruncate(fd, 20)
            finally:
                os.close(fd)
        except OSError:
            self._objects.remove("total")

    def _complain(self, error: Exception) -> None:
        if not self._complained:
            self._complained = True
            _log.warning(
                "the cache at %s cannot be written, nothing is kept there: %s; free space, or set JUDGE_CACHE_DIR",
                self.directory,
                reason(error),
            )


def _header(key: str, payload: bytes) -> bytes:
    return b"%s %s %s" % (_MAGIC, key.encode(), hashlib.sha256(payload).hexdigest().encode())


def _read(objects: int, key: str) -> bytes:
    """Read an entry, and note that it was used. For speed we do not check the shard first: a link in its place could
    only lead to a file of ours, as we check the entry itself."""
    fd = os.open(f"{key[:2]}/{key}", _ENTRY, dir_fd=objects)
    try:
        status = os.fstat(fd)
        check_file(status, key)
        data = read_all(fd, status.st_size)
        with contextlib.suppress(OSError):
            os.utime(fd)
        return data
    finally:
        os.close(fd)


def _size(directory: Directory, name: str) -> int:
    try:
        return os.stat(name, dir_fd=directory.fd, follow_symlinks=False).st_size
    except OSError:
        return 0


def _byte(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:7])


def _place(path: int | str) -> tuple[int, int]:
    """Device and inode."""
    status = os.stat(path)  # noqa: PTH116 - at every compile: a Path takes three times as long
    return status.st_dev, status.st_ino
