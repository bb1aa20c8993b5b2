"""Tests that stand in a data set, as the packages that the judge reads.

    <cache>/inline/                     0700
        lock                            held while a home is made, and those of dead processes are swept
        <process>-…/                    a home
            lock                        held while its process lives
            <name>/                     one package, written when it is first needed

The cache lies outside of what programs see. Packages that nobody uses go, those used longest ago first, when all
together are larger than `most_bytes`: a data set may hold more than the disk.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from judge.common import config
from judge.common.errors import ConfigError
from judge.store.directory import Directory, NotOurs

_LOCK = "lock"


@dataclass(slots=True, kw_only=True)
class _Package:
    path: Path
    bytes: int
    users: int = 0


class Packages:
    """Thread-safe. Nothing is made before there is a package."""

    def __init__(self, cache_directory: Path | None = None, *, most_bytes: int = 1 << 30) -> None:
        self._parent = (cache_directory or config.cache_directory()).absolute() / "inline"
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._home: Path | None = None
        self._home_lock = -1
        self._held: OrderedDict[str, _Package] = OrderedDict()
        self._bytes = 0

    def take(self, name: str, tests: str) -> Path:
        """The package of these tests, which have this name alone. It stays at least until it is given back.

        Raises:
            DataError, ProblemError: they are no tests.
            ConfigError: the place for them is somebody else's.
            OSError: they cannot be written.
        """
        with self._lock:
            if name not in self._held:
                package = self._held[name] = self._write(name, tests)
                self._bytes += package.bytes
                self._evict(keep=name)
            package = self._held[name]
            package.users += 1
            self._held.move_to_end(name)
            return package.path

    def give_back(self, name: str) -> None:
        with self._lock:
            if name in self._held:
                self._held[name].users -= 1

    def close(self) -> None:
        with self._lock:
            self._held.clear()
            self._bytes = 0
            home, self._home = self._home, None
            if home is not None:
                shutil.rmtree(home, ignore_errors=True)
                os.close(self._home_lock)

    def _write(self, name: str, tests: str) -> _Package:
        from trainer_adapter.data.tests_column import unpack, write_package  # noqa: PLC0415 - slow to import

        path = write_package(unpack(tests), self._opened() / name)
        return _Package(path=path, bytes=sum(file.stat().st_size for file in path.rglob("*") if file.is_file()))

    def _evict(self, *, keep: str) -> None:
        for name, package in list(self._held.items()) if self._bytes > self._most_bytes else ():
            if self._bytes > self._most_bytes and not package.users and name != keep:
                shutil.rmtree(package.path, ignore_errors=True)
                self._bytes -= package.bytes
                del self._held[name]

    def _opened(self) -> Path:
        if self._home is None:
            with _parent(self._parent).locked(_LOCK):
                self._sweep()
                self._home = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=self._parent))
                self._home_lock = os.open(self._home / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                fcntl.flock(self._home_lock, fcntl.LOCK_EX)
        return self._home

    def _sweep(self) -> None:
        """Remove what processes left that were killed."""
        for lock in self._parent.glob(f"*/{_LOCK}"):
            descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock.parent, ignore_errors=True)
            except BlockingIOError:
                pass  # its process lives
            finally:
                os.close(descriptor)


def _parent(path: Path) -> Directory:
    """
    Raises:
        ConfigError: it is somebody else's, or others may write it: they would choose the tests.
        OSError: it cannot be made.
    """
    try:
        return Directory.at(path, 0o700)
    except NotOurs as error:
        raise ConfigError(f"cannot trust {path}: {error}; {config.another_cache()}") from error
