"""The actor on each machine of the cluster: a `LocalExecutor` with asynchronous methods. Does not import Ray."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from containers import ContainerError, Isolation, Unavailable
from judge.common.errors import Cancelled, JudgeError
from judge.common.models import Judgement, Options, Submission
from judge.many.local import LocalExecutor
from judge.slots.capacity import available
from judge.store.recent import Once
from problems.errors import ProblemError
from problems.files import parcel
from problems.files.archive import private_directory
from problems.lookup import find

_EXPECTED = (JudgeError, ProblemError, ContainerError)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSettings:
    """The settings of every node."""

    slots: int | None
    backend: str
    require: str | None
    cache_directory: Path | None
    #: The memory budget of each node; None: what it can give.
    memory_bytes: int | None = None
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    slots: int
    isolation: Isolation


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One of our exceptions on its way to the driver. Some of them cannot be pickled: they are made with other
    arguments than they keep."""

    kind: type[Exception]
    message: str

    @classmethod
    def of(cls, error: Exception) -> Refusal:
        return cls(kind=type(error), message=str(error))

    def error(self, node: str) -> Exception:
        return self.kind.__new__(self.kind, f"node {node}: {self.message}")


class Node:
    """The actor. Every method returns data or a Refusal; none raises."""

    def __init__(self, settings: NodeSettings) -> None:
        self._settings = settings
        self._executor: LocalExecutor | None = None
        self._digests = Once[str | None]()  # by name: the packages that this machine has
        self._packages = Once[Path]()  # by digest: the packages that were sent
        self._directory = Path()

    async def open(self, cpus: int) -> Opened | Refusal:
        """Try whether this machine grants the sandbox. `cpus`: how many CPUs it gives Ray."""
        try:
            return await asyncio.to_thread(self._open, cpus)
        except _EXPECTED as error:
            return Refusal.of(error)

    def _open(self, cpus: int) -> Opened:
        asked = self._settings
        if asked.version != (own := own_version()):
            raise Unavailable(f"has judge {own}, not {asked.version}; install the same on all machines")
        slots = asked.slots or min(available(asked.memory_bytes).count, cpus)
        self._directory = private_directory()
        self._executor = LocalExecutor(slots, asked.backend, asked.require, asked.cache_directory, asked.memory_bytes)
        return Opened(slots=slots, isolation=self._executor.isolation)

    async def has(self, name: str, digest: str) -> bool:
        """Whether this machine finds a package of this name with this digest."""

        def own() -> str | None:
            try:
                return parcel.digest(find(name))
            except ProblemError:
                return None

        return await asyncio.to_thread(self._digests.get, name, own) == digest

    async def hold(self, digest: str, name: str, content: bytes) -> Refusal | None:
        """Keep a package for submissions that name its digest."""
        try:
            await asyncio.to_thread(self._packages.get, digest, lambda: self._unpack(name, content))
        except ProblemError as error:
            return Refusal.of(error)
        except OSError as error:
            return Refusal(kind=Unavailable, message=f"cannot keep a package: {error}; free space on its disk")
        return None

    def _unpack(self, name: str, content: bytes) -> Path:
        return parcel.unpack(content, name, Path(tempfile.mkdtemp(dir=self._directory)))

    async def judge(self, submission: Submission, options: Options, held: str | None) -> Judgement | Refusal:
        """Judge on the package that was sent with the digest `held`, or (None) on the one that `has` found."""
        try:
            if self._executor is None:
                raise JudgeError("was asked to judge before it was opened")
            if held is not None:
                submission = replace(submission, problem=self._packages.get(held, _not_held))
            return await asyncio.wrap_future(self._executor.submit(submission, options))
        except asyncio.CancelledError:  # `close` cancels what has not begun
            return Refusal.of(Cancelled())
        except _EXPECTED as error:
            return Refusal.of(error)

    async def close(self) -> None:
        if self._executor is not None:
            await asyncio.to_thread(self._executor.close)
            await asyncio.to_thread(shutil.rmtree, self._directory, ignore_errors=True)


def _not_held() -> Path:
    raise JudgeError("was asked for a package that it was not sent")


def own_version() -> str:
    try:
        return version("judge")
    except PackageNotFoundError:
        return "from a source tree"
