"""Stores problems once their packages were read, so that YAML need not be parsed and checked again.

The key is a hash of the package's path, of the facts of every entry below it, and of the code that reads packages. So
any change makes another key. The code is what this process began with: it goes on with that, whatever is installed over
it, and must not store what it read under the key of another version. The facts of an entry are name, kind, size, inode
and ctime, which, unlike the mtime, nobody can set back. A package that changed a moment ago is not stored: another
change may fall into the same tick of the file system's clock.
"""

from __future__ import annotations

import hashlib
import io
import logging
import os
import pickle
import sys
import time
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from pathlib import Path, PosixPath
from types import MappingProxyType
from typing import Any, Protocol

from problems import model
from problems.model import Problem

_log = logging.getLogger(__name__)

#: The code that reads packages lies in modules of these directories.
_CODE = [Path(model.__file__).parent / shelf for shelf in (".", "files", "reading", "text")]
_SETTLED_NS = 2_000_000_000


class Store(Protocol):
    """A cache: `get` gives exactly what was put under the key, or None."""

    def get(self, key: str) -> bytes | None: ...

    def put(self, key: str, value: bytes) -> None: ...


def recall(directory: Path, store: Store, read: Callable[[], Problem]) -> Problem:
    """The problem in `directory`: from the store, or by `read`, which is then stored."""
    try:
        entries, changed_ns = _entries(directory)
    except OSError:
        return read()  # it words the error
    settled = changed_ns < time.time_ns() - _SETTLED_NS
    state = (str(directory), sys.version, _code(), sorted(entries))
    key = hashlib.sha256(repr(state).encode("utf-8", "surrogateescape")).hexdigest()
    if (value := store.get(key)) is not None and (known := _loads(value)) is not None:
        return known
    problem = read()
    if settled:
        store.put(key, _dumps(problem))
    return problem


@cache
def _code() -> list[tuple[str, tuple[int, ...]]]:
    """Facts of the code that reads packages, as it was when this process first asked."""
    return sorted((str(path), _facts(path.stat())) for shelf in _CODE for path in shelf.glob("*.py"))


def _facts(status: os.stat_result) -> tuple[int, ...]:
    return status.st_mode, status.st_size, status.st_dev, status.st_ino, status.st_ctime_ns


def _entries(directory: Path) -> tuple[list[tuple[str, tuple[int, ...]]], int]:
    """Everything below the directory, and when it last changed. With a link that is unknown: its target may change."""
    found, changed_ns, waiting = [], 0, [str(directory)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                found.append((entry.path, _facts(status)))
                changed_ns = max(changed_ns, sys.maxsize if entry.is_symlink() else status.st_ctime_ns)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return found, changed_ns


def _read_only(data: dict[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(data)


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: object) -> Any:
        if isinstance(value, MappingProxyType):
            return _read_only, (dict(value),)
        if isinstance(value, Enum):  # early versions of Python 3.11 pickle a call of getattr
            return type(value), (value.value,)
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    """Makes only classes of the model: whatever somebody put into the store, no other code is called."""

    def find_class(self, module: str, name: str) -> Any:
        ours = getattr(model, name, None) if module == model.__name__ else None
        for part in (ours, PosixPath, frozenset):
            if isinstance(part, type) and (part.__module__, part.__name__) == (module, name):
                return part
        if (module, name) == (__name__, _read_only.__name__):
            return _read_only
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a problem")


def _dumps(problem: Problem) -> bytes:
    buffer = io.BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(problem)
    return buffer.getvalue()


def _loads(data: bytes) -> Problem | None:
    """The problem; None: the data are not one."""
    try:
        problem = _Unpickler(io.BytesIO(data)).load()
    except Exception as error:  # a pickle can raise anything
        _log.warning("a stored problem cannot be read, it is read anew from its package: %s", error)
        return None
    return problem if isinstance(problem, Problem) else None
