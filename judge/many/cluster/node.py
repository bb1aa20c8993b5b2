"""The actor on each machine of the cluster: a `LocalExecutor` with asynchronous methods. Does not import Ray.

Rows come in chunks (`begin`), and answers leave in chunks (`answers`): what ended while an answer was under way goes
with the next one. So a call is paid once for many rows, and no row waits for others of its chunk.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

from containers import ContainerError, Isolation, Unavailable
from judge.common.errors import Cancelled, JudgeError
from judge.common.models import Judgement, Options, Submission
from judge.many.local import LocalExecutor
from judge.slots.capacity import available
from judge.store.recent import Once
from judge.store.unpacked import Unpacked
from problems.errors import ProblemError
from problems.files import archive, parcel
from problems.lookup import find
from problems.model import MIB

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
    #: Of packages that were sent to a node, unpacked on its disk.
    packages_bytes: int = 4096 * MIB
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    slots: int
    isolation: Isolation


#: A row on its way to a node: its number, what to judge, how, and the digest of the package that was sent for it, or
#: None: the node finds an equal package itself (`Node.has`).
Row = tuple[int, Submission, Options, str | None]

#: A chunk is sent as one message, which is kept in memory on both sides.
_CHUNK_BYTES = 4 << 20

_Item = TypeVar("_Item")


def chunk(items: deque[_Item], size: Callable[[_Item], int]) -> list[_Item]:
    """Take the first of them, at least one. `size`: in bytes."""
    taken, left = [items.popleft()], _CHUNK_BYTES
    while items and (left := left - size(taken[-1])) > 0:
        taken.append(items.popleft())
    return taken


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


class Forgotten(JudgeError):
    """A node was asked for a package that it does not have, or no more: it is to be sent again."""


class Node:
    """The actor. Every method returns data or a Refusal; none raises."""

    def __init__(self, settings: NodeSettings) -> None:
        self._settings = settings
        self._executor: LocalExecutor | None = None
        self._digests = Once[str | None]()  # by name: the packages that this machine has
        self._packages = Unpacked(settings.packages_bytes)  # by digest: those that were sent
        self._directory = Path()
        self._answered = deque[tuple[int, Judgement | Refusal]]()
        self._any_answered = asyncio.Event()

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
        self._directory = archive.private_directory()
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
        except archive.UNSOUND as error:
            return Refusal(kind=ProblemError, message=f"{name}: no zip file that can be read: {error}")
        except OSError as error:
            return Refusal(kind=Unavailable, message=f"cannot keep a package: {error}; free space on its disk")
        return None

    def _unpack(self, name: str, content: bytes) -> Path:
        directory = Path(tempfile.mkdtemp(dir=self._directory))
        try:
            return parcel.expanded(parcel.unpack(content, name, directory))
        except BaseException:
            shutil.rmtree(directory, ignore_errors=True)
            raise

    async def begin(self, rows: Sequence[Row]) -> None:
        """Judge these rows in the background. Each is answered once, by `answers`."""
        loop = asyncio.get_running_loop()
        for number, submission, options, held in rows:
            try:
                future = self._submit(submission, options, held)
            except Exception as error:  # the row's alone
                self._answer(number, _refusal(error))
            else:
                future.add_done_callback(partial(self._ended, loop, number))

    def _submit(self, submission: Submission, options: Options, held: str | None) -> Future[Judgement]:
        if self._executor is None:
            raise JudgeError("was asked to judge before it was opened")
        if held is None:
            return self._executor.submit(submission, options)
        self._packages.begin(held)
        try:
            if (path := self._packages.find(held)) is None:
                raise Forgotten("was asked for a package that it was not sent, or has no more")
            future = self._executor.submit(replace(submission, problem=path), options)
        except BaseException:
            self._packages.end(held)
            raise
        future.add_done_callback(lambda _: self._packages.end(held))
        return future

    def _ended(self, loop: asyncio.AbstractEventLoop, number: int, future: Future[Judgement]) -> None:
        """Called from any thread."""
        loop.call_soon_threadsafe(self._answer, number, _result(future))

    def _answer(self, number: int, answer: Judgement | Refusal) -> None:
        self._answered.append((number, answer))
        self._any_answered.set()

    async def answers(self) -> list[tuple[int, Judgement | Refusal]]:
        """Wait until a row has ended. Returns those that ended since the last call, by their numbers."""
        await self._any_answered.wait()
        answers = chunk(self._answered, _size)
        if not self._answered:
            self._any_answered.clear()
        return answers

    async def close(self) -> None:
        if self._executor is not None:
            await asyncio.to_thread(self._executor.close)
            await asyncio.to_thread(archive.give_up, self._directory)


def _size(answered: tuple[int, Judgement | Refusal]) -> int:
    answer = answered[1]
    return answer.footprint_bytes if isinstance(answer, Judgement) else len(answer.message)


def _result(future: Future[Judgement]) -> Judgement | Refusal:
    if future.cancelled():  # `close` cancels what has not begun
        return Refusal.of(Cancelled())
    error = future.exception()
    return future.result() if error is None else _refusal(error)


def _refusal(error: BaseException) -> Refusal:
    if isinstance(error, _EXPECTED):
        return Refusal.of(error)
    return Refusal(kind=JudgeError, message=f"unexpected failure: {error!r}")


def own_version() -> str:
    try:
        return version("judge")
    except PackageNotFoundError:
        return "from a source tree"
