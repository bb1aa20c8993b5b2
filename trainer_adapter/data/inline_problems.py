"""Turns the tests in the rows of a data set into problems for the judge: files on disk, the rest in memory.

    <cache>/inline/                     0700
        lock                            held while a process makes its home and removes those of dead processes
        <process>-…/                    a home
            lock                        held while its process lives
            <name>/                     the files of one problem, written when it is first needed

Programs do not see the cache. If all problems together are larger than `most_bytes`, those that nobody uses are
removed, those used longest ago first: a data set may be larger than the disk.
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
from problems.model import Problem

_LOCK = "lock"


@dataclass(slots=True, kw_only=True)
class _Held:
    problem: Problem
    bytes: int
    users: int = 0


class InlineProblems:
    """The problems of this process's rows. Thread-safe. It makes nothing before the first problem."""

    def __init__(self, cache_directory: Path | None = None, *, most_bytes: int = 1 << 30) -> None:
        self._parent = (cache_directory or config.cache_directory()).absolute() / "inline"
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._home: Path | None = None
        self._home_lock = -1
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._bytes = 0

    def take(self, name: str, tests: str) -> Problem:
        """The problem of these tests; other tests must have another name. It stays at least until `give_back`.

        Raises:
            DataError: they are no tests.
            ConfigError: the place for them is somebody else's.
            OSError: they cannot be written.
        """
        with self._lock:
            if name not in self._held:
                held = self._held[name] = self._write(name, tests)
                self._bytes += held.bytes
                self._evict(keep=name)
            held = self._held[name]
            held.users += 1
            self._held.move_to_end(name)
            return held.problem

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

    def _write(self, name: str, tests: str) -> _Held:
        from trainer_adapter.data.tests_column import problem  # noqa: PLC0415 - slow to import
        from trainer_adapter.data.tests_text import unpack  # noqa: PLC0415

        inline, parts = unpack(tests), self._open() / name
        parts.mkdir()
        try:
            made = problem(inline, parts, name)
        except BaseException:
            shutil.rmtree(parts, ignore_errors=True)
            raise
        return _Held(problem=made, bytes=sum(file.stat().st_size for file in parts.iterdir()))

    def _evict(self, *, keep: str) -> None:
        for name, held in list(self._held.items()) if self._bytes > self._most_bytes else ():
            if self._bytes > self._most_bytes and not held.users and name != keep:
                shutil.rmtree(held.problem.directory, ignore_errors=True)
                self._bytes -= held.bytes
                del self._held[name]

    def _open(self) -> Path:
        if self._home is None:
            with _parent(self._parent).lock(_LOCK):
                self._sweep()
                self._home = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=self._parent))
                self._home_lock = os.open(self._home / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                fcntl.flock(self._home_lock, fcntl.LOCK_EX)
        return self._home

    def _sweep(self) -> None:
        """Remove what killed processes left."""
        for lock in self._parent.glob(f"*/{_LOCK}"):
            descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock.parent, ignore_errors=True)
            except BlockingIOError:
                pass  # its process is alive
            finally:
                os.close(descriptor)


def _parent(path: Path) -> Directory:
    """
    Raises:
        ConfigError: it is somebody else's, or others may write it and so choose the tests.
        OSError: it cannot be made.
    """
    try:
        return Directory.at(path, 0o700)
    except NotOurs as error:
        raise ConfigError(f"cannot trust {path}: {error}; {config.another_cache()}") from error
