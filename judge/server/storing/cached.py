"""Files that clients keep on the server for a while, in memory: bounded in bytes and in age, and each its owner's."""

from __future__ import annotations

import base64
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class CachedFile:
    owner: str
    name: str
    content: bytes
    used_s: float


class NoRoom(Exception):
    """The files of others leave no room."""


class CachedFiles:
    """For one thread, that of the event loop. An unknown file is a KeyError, and so is another owner's."""

    def __init__(self, most_bytes: int, most_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most_bytes, self._most_s, self._clock = most_bytes, most_s, clock
        #: The one used last stands at the end.
        self._files: dict[str, CachedFile] = {}
        self._bytes = 0

    def add(self, owner: str, name: str, content: bytes) -> str:
        """Keep a file: its id. Where there is no room, the files of this owner go that were not used for longest.

        Raises:
            NoRoom: that is not enough.
        """
        self._expire()
        own = [(id_, file) for id_, file in self._files.items() if file.owner == owner]
        excess = self._bytes + len(content) - self._most_bytes
        if excess > sum(len(file.content) for _, file in own):
            raise NoRoom(f"no room for a file of {len(content)} bytes: delete others first")
        for id_, _ in own:
            if self._bytes + len(content) <= self._most_bytes:
                break
            self._drop(id_)
        new = base64.b32encode(secrets.token_bytes(10)).decode()
        self._files[new] = CachedFile(owner=owner, name=name, content=content, used_s=self._clock())
        self._bytes += len(content)
        return new

    def get(self, owner: str, id_: str) -> CachedFile:
        self._expire()
        file = self._own(owner, id_)
        file.used_s = self._clock()
        self._files[id_] = self._files.pop(id_)
        return file

    def names(self, owner: str) -> dict[str, str]:
        """The ids of an owner's files, with their names."""
        self._expire()
        return {id_: file.name for id_, file in self._files.items() if file.owner == owner}

    def delete(self, owner: str, id_: str) -> None:
        self._own(owner, id_)
        self._drop(id_)

    def _own(self, owner: str, id_: str) -> CachedFile:
        file = self._files[id_]
        if file.owner != owner:
            raise KeyError(id_)
        return file

    def _drop(self, id_: str) -> None:
        self._bytes -= len(self._files.pop(id_).content)

    def _expire(self) -> None:
        oldest = self._clock() - self._most_s
        while self._files and (first := next(iter(self._files))) and self._files[first].used_s < oldest:
            self._drop(first)
