"""Sends packages to nodes. Each package is read once, is packed only if a node lacks it, and stays in the object store
while nodes fetch it."""

from __future__ import annotations

import asyncio

import ray

from judge.common.errors import JudgeError
from judge.many import packages
from judge.many.packages import Package, once
from judge.store.recent import Recent
from problems.files import parcel

#: So many packages stay in the object store for nodes that have not asked yet. Others are packed again when asked for.
_KEPT = 64


class Packages(packages.Packages):
    """The packages of the driver. Use it in one event loop only."""

    def __init__(self) -> None:
        super().__init__()
        self._packed = Recent[asyncio.Task[ray.ObjectRef[bytes]]](_KEPT)

    async def content(self, package: Package) -> ray.ObjectRef[bytes]:
        """
        Raises:
            ProblemError: the package cannot be packed.
            JudgeError: Ray's object store does not take it.
        """
        return await once(self._packed, package.digest, lambda: _packed(package))


def _packed(package: Package) -> ray.ObjectRef[bytes]:
    try:
        return ray.put(parcel.pack(package.path))
    except ray.exceptions.RayError as error:
        raise JudgeError(f"{package.path}: Ray's object store does not take it: {error}") from error
