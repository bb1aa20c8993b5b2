"""Packages on their way to the nodes: each is read once, packed only if a node lacks it, and lies in the object store
while nodes fetch it."""

from __future__ import annotations

import asyncio
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Hashable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import ray

from judge.common.errors import JudgeError
from judge.common.models import Submission
from problems import parcel
from problems.errors import ProblemError
from problems.lookup import find
from problems.model import Problem
from problems.tree import VALID_NAME
from problems.write import write

_Key = TypeVar("_Key")
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
        self._found: dict[Hashable, asyncio.Task[Package]] = {}
        #: Problems that came without a package, each in a directory.
        self._written: list[tempfile.TemporaryDirectory[str]] = []
        self._packed: OrderedDict[str, asyncio.Task[ray.ObjectRef[bytes]]] = OrderedDict()

    async def find(self, submission: Submission) -> Package:
        """
        Raises:
            ProblemError: there is no such package, or it cannot be read.
        """
        return await _once(self._found, submission.problem_key, lambda: self._find(submission.problem))

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

    def _find(self, problem: str | Path | Problem) -> Package:
        path = self._write(problem) if isinstance(problem, Problem) else find(problem)
        return Package(path=path, digest=parcel.digest(path))

    def _write(self, problem: Problem) -> Path:
        if not VALID_NAME.fullmatch(problem.name):
            raise ProblemError(f"problem {problem.name!r}: no name for a package; take letters, digits, '.', '_', '-'")
        directory = tempfile.TemporaryDirectory(prefix="judge-package-")
        self._written.append(directory)
        return write(problem, Path(directory.name) / problem.name)

    def close(self) -> None:
        for directory in self._written:
            directory.cleanup()


async def _once(made: MutableMapping[_Key, asyncio.Task[_Made]], key: _Key, make: Callable[[], _Made]) -> _Made:
    """What one thread makes for all who wait; a failure is not kept."""
    task = made.get(key)
    if task is None:
        task = made[key] = asyncio.create_task(asyncio.to_thread(make))
    try:
        return await asyncio.shield(task)
    except Exception:
        made.pop(key, None)
        raise


def _packed(package: Package) -> ray.ObjectRef[bytes]:
    try:
        return ray.put(parcel.pack(package.path))
    except ray.exceptions.RayError as error:
        raise JudgeError(f"{package.path}: Ray's object store does not take it: {error}") from error
