"""Packages on their way to the nodes: each is read once, packed only if a node lacks it, and lies in the object store
while nodes fetch it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import ray

from judge.common.errors import JudgeError
from problems import parcel
from problems.lookup import find

_Made = TypeVar("_Made")

#: Packages that stay in the object store for nodes that have not asked yet; any other is packed again.
_KEPT = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    path: Path
    digest: str


class Packages:
    """What the driver has, by reference. Belongs to one event loop."""

    def __init__(self) -> None:
        self._found: dict[str, asyncio.Task[Package]] = {}
        self._packed: OrderedDict[str, asyncio.Task[ray.ObjectRef[bytes]]] = OrderedDict()

    async def find(self, reference: str | Path) -> Package:
        """
        Raises:
            ProblemError: there is no such package, or it cannot be read.
        """
        return await _once(self._found, str(reference), lambda: _found(reference))

    async def content(self, package: Package) -> ray.ObjectRef[bytes]:
        """
        Raises:
            ProblemError: it cannot be packed.
            JudgeError: the object store does not take it.
        """
        packed = await _once(self._packed, package.digest, lambda: _packed(package))
        self._packed.move_to_end(package.digest)
        if len(self._packed) > _KEPT:
            self._packed.popitem(last=False)
        return packed


async def _once(made: MutableMapping[str, asyncio.Task[_Made]], key: str, make: Callable[[], _Made]) -> _Made:
    """What one thread makes for all who wait; a failure is not kept."""
    task = made.get(key)
    if task is None:
        task = made[key] = asyncio.create_task(asyncio.to_thread(make))
    try:
        return await asyncio.shield(task)
    except Exception:
        made.pop(key, None)
        raise


def _found(reference: str | Path) -> Package:
    path = find(reference)
    return Package(path=path, digest=parcel.digest(path))


def _packed(package: Package) -> ray.ObjectRef[bytes]:
    try:
        return ray.put(parcel.pack(package.path))
    except ray.exceptions.RayError as error:
        raise JudgeError(f"{package.path}: Ray's object store does not take it: {error}") from error
