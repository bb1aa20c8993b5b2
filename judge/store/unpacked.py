"""Directories that can be made again: those used longest ago make room, but none in use."""

from __future__ import annotations

import shutil
import threading
from collections import Counter
from collections.abc import Callable, Hashable
from pathlib import Path


class Unpacked:
    """Each path lies in a directory of its own, and all of that counts. Thread-safe."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        #: Taken before the other one, by who makes a directory: that may take long, and nobody waits who finds his own.
        self._making = threading.Lock()
        #: Path and bytes, in the order of their last use.
        self._paths: dict[Hashable, tuple[Path, int]] = {}
        #: How many use each.
        self._used = Counter[Hashable]()

    def get(self, key: Hashable, make: Callable[[], Path]) -> Path:
        """The path, made anew if it is not there. It stays while it is in use, and until others need room."""
        found = self.find(key)
        if found is None:
            with self._making:
                found = self.find(key) or self._make(key, make)
        self._make_room(key)
        return found

    def _make(self, key: Hashable, make: Callable[[], Path]) -> Path:
        path = make()
        size = sum(file.stat().st_size for file in path.parent.rglob("*") if file.is_file())
        with self._lock:
            self._paths[key] = path, size
        return path

    def find(self, key: Hashable) -> Path | None:
        """The path, if it is there."""
        with self._lock:
            found = self._paths.pop(key, None)
            if found is None:
                return None
            self._paths[key] = found
            return found[0]

    def begin(self, key: Hashable) -> None:
        """Somebody uses it, whether it is there or not yet, until `end`."""
        with self._lock:
            self._used[key] += 1

    def end(self, key: Hashable) -> None:
        with self._lock:
            self._used[key] -= 1
            if not self._used[key]:
                del self._used[key]

    def _make_room(self, needed: Hashable) -> None:
        gone = []
        with self._lock:
            held_bytes = sum(size for _, size in self._paths.values())
            for key, (path, size) in tuple(self._paths.items()):
                if held_bytes > self._most_bytes and key != needed and not self._used[key]:
                    del self._paths[key]
                    gone.append(path.parent)
                    held_bytes -= size
        for directory in gone:
            shutil.rmtree(directory, ignore_errors=True)
