"""A process that judges for a driver: an executor with asynchronous methods. On a Ray cluster it is an actor on each
machine and owns all of it; on one machine it is a worker process and owns a part. Does not import Ray.

Rows come in chunks (`begin`), and answers leave in chunks (`answers`): what ended while an answer was under way goes
with the next one. So a call is paid once for many rows, and no row waits for others of its chunk.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, assert_never

from containers import ContainerError, Isolation, Unavailable
from judge.common.errors import Cancelled, JudgeError
from judge.common.execution import Execution, Program
from judge.common.installed import installed_version
from judge.common.models import CompileResult, Judgement, Options, Submission, TestResult
from judge.judging.known import Context
from judge.judging.watch import Watch
from judge.many.executor import Executor
from judge.slots.budget import Part
from judge.store.recent import Once, Recent
from judge.store.unpacked import Unpacked
from problems.errors import ProblemError
from problems.files import archive, parcel
from problems.lookup import find
from problems.model import MIB, Problem

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
    #: What a worker process has of its machine; None: all of it.
    part: Part | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    slots: int
    isolation: Isolation


#: A row on its way to a node: its number, what to judge (a program: to execute), how, the digest of what was sent for
#: its problem, or None: the node finds an equal package itself (`Node.has`), and whether somebody watches its tests.
Row = tuple[int, Submission | Program, Options, str | None, bool]


@dataclass(frozen=True, slots=True)
class Compiled:
    result: CompileResult
    tests: int


@dataclass(frozen=True, slots=True)
class Tested:
    result: TestResult
    sample: bool


@dataclass(frozen=True, slots=True)
class Learned:
    """In which context the row was judged: sent once for all that share it, before the first answer."""

    context: Context


#: A chunk is sent as one message, which is kept in memory on both sides.
_CHUNK_BYTES = 4 << 20
#: What a word on the way of a row may take.
_SAID_BYTES = 4 << 10
#: Problems that are kept have at most so many tests together, and so many contexts are remembered to be known.
_PROBLEM_TESTS, _CONTEXTS = 1 << 16, 1 << 14

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
        """`node`: its name, for the message; empty: it is this machine."""
        return self.kind.__new__(self.kind, f"node {node}: {self.message}" if node else self.message)


class Forgotten(JudgeError):
    """A node was asked for a package that it does not have, or no more: it is to be sent again."""


@dataclass(frozen=True, slots=True)
class Lent:
    """So many of the node's rows stand still now: it can take as many more. Said of no row."""

    count: int


#: The number under which a node speaks of itself.
NO_ROW = -1
#: What a node says of a row, or of itself. The last two and Execution are a row's end.
Answer = Compiled | Tested | Learned | Lent | Execution | Judgement | Refusal


class Node(ABC):
    """Every method returns data or a Refusal; none raises."""

    def __init__(self, settings: NodeSettings) -> None:
        self._settings = settings
        self._executor: Executor | None = None
        #: What is judged, by number.
        self._futures: dict[int, Future[Any]] = {}
        #: By digest: problems that are no package, and stay where they are on this machine.
        self._problems = Recent[Problem](_PROBLEM_TESTS)
        #: Contexts that the driver knows.
        self._contexts = Recent[bytes](_CONTEXTS)
        self._digests = Once[str | None]()  # by name: the packages that this machine has
        self._packages = Unpacked(settings.packages_bytes)  # by digest: those that were sent
        #: Below it, what was unpacked.
        self._directory: Path | None = None
        self._lock = threading.Lock()
        self._answered = deque[tuple[int, Answer]]()
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
        self._executor = executor = self._make_executor(cpus)
        return Opened(slots=executor.slots, isolation=executor.isolation)

    @abstractmethod
    def _make_executor(self, cpus: int) -> Executor:
        """What judges here. `cpus`: as for `open`."""

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
        with self._lock:
            self._directory = self._directory or archive.private_directory()
        directory = Path(tempfile.mkdtemp(dir=self._directory))
        try:
            return parcel.expand_zip(parcel.unpack(content, name, directory))
        except BaseException:
            shutil.rmtree(directory, ignore_errors=True)
            raise

    async def keep(self, digest: str, problem: Problem) -> None:
        """Keep a problem of this machine for submissions that name its digest."""
        self._problems.put(digest, problem, 1 + len(problem.cases))

    async def begin(self, rows: Sequence[Row]) -> None:
        """Judge these rows in the background. Each is answered once, by `answers`."""
        loop = asyncio.get_running_loop()
        for number, sent, options, digest, watched in rows:
            try:
                work, held = self._with_kept_problem(sent, digest)
                watch = _Watching(loop, partial(self._answer, number)) if watched else None
                future = self._submit(work, options, held, watch)
            except Exception as error:  # the row's alone
                self._answer(number, _refusal(error))
            else:
                self._futures[number] = future
                future.add_done_callback(partial(self._on_ended, loop, number, work, options))

    def _with_kept_problem(
        self, work: Submission | Program, held: str | None
    ) -> tuple[Submission | Program, str | None]:
        """The work as it is judged here, and the digest of the package that it still needs."""
        if isinstance(work, Submission) and held is not None and (kept := self._problems.get(held)) is not None:
            return replace(work, problem=kept), None
        return work, held

    def _submit(
        self, work: Submission | Program, options: Options, held: str | None, watch: Watch | None
    ) -> Future[Any]:
        if self._executor is None:
            raise JudgeError("was asked to judge before it was opened")
        if isinstance(work, Program):
            return self._executor.execute(work)
        submission = work
        if held is None:
            return self._executor.submit(submission, options, watch)
        self._packages.begin(held)
        try:
            if (path := self._packages.find(held)) is None:
                raise Forgotten("was asked for a package that it was not sent, or has no more")
            future = self._executor.submit(replace(submission, problem=path), options, watch)
        except BaseException:
            self._packages.end(held)
            raise
        future.add_done_callback(lambda _: self._packages.end(held))
        return future

    def _on_ended(
        self,
        loop: asyncio.AbstractEventLoop,
        number: int,
        work: Submission | Program,
        options: Options,
        future: Future[Any],
    ) -> None:
        """Called from any thread."""
        context = self._context(work, options) if isinstance(work, Submission) and options.verdict_cache else None
        loop.call_soon_threadsafe(self._end, number, work, options, context, _result(future))

    def _context(self, submission: Submission, options: Options) -> Context | None:
        """In which context it was judged, if the driver is to learn that."""
        return None

    def _end(
        self, number: int, work: Submission | Program, options: Options, context: Context | None, answer: Answer
    ) -> None:
        self._futures.pop(number, None)
        if context is not None and isinstance(work, Submission):
            key = work.problem_key, work.language, options
            if self._contexts.get(key) != context.digest:
                self._contexts.put(key, context.digest)
                self._answer(number, Learned(context))
        self._answer(number, answer)

    def _answer(self, number: int, answer: Answer) -> None:
        self._answered.append((number, answer))
        self._any_answered.set()

    async def answers(self) -> list[tuple[int, Answer]]:
        """Wait until there is something to say of a row. Returns what was said since the last call, by the numbers."""
        await self._any_answered.wait()
        answers = chunk(self._answered, _size)
        if not self._answered:
            self._any_answered.clear()
        return answers

    async def stop(self, number: int) -> None:
        """As `Judge.stop`: its end is Cancelled, unless it comes before."""
        executor, future = self._executor, self._futures.get(number)
        if executor is not None and future is not None:
            await asyncio.to_thread(executor.stop, future)

    async def close(self) -> None:
        if self._executor is not None:
            await asyncio.to_thread(self._executor.close)
            if self._directory is not None:
                await asyncio.to_thread(archive.give_up, self._directory)


class _Watching:
    """The `Watch` of a row: it tells the driver."""

    def __init__(self, loop: asyncio.AbstractEventLoop, tell: Callable[[Answer], None]) -> None:
        self._loop, self._tell = loop, tell

    def on_compiled(self, result: CompileResult, tests: int) -> None:
        self._loop.call_soon_threadsafe(self._tell, Compiled(result, tests))

    def on_tested(self, result: TestResult, *, sample: bool) -> None:
        self._loop.call_soon_threadsafe(self._tell, Tested(result, sample))


def _size(answered: tuple[int, Answer]) -> int:
    match answered[1]:
        case Judgement() as judgement:
            return judgement.footprint_bytes
        case Execution() as execution:
            return len(execution.stdout) + len(execution.stderr) + sum(map(len, execution.files.values()))
        case Refusal() as refusal:
            return len(refusal.message)
        case Compiled() | Tested() | Learned() | Lent():
            return _SAID_BYTES
        case answer:
            assert_never(answer)


def _result(future: Future[Any]) -> Answer:
    if future.cancelled():  # `close` cancels what has not begun
        return Refusal.of(Cancelled())
    error = future.exception()
    if error is not None:
        return _refusal(error)
    result: Judgement | Execution = future.result()
    return result


def _refusal(error: BaseException) -> Refusal:
    if isinstance(error, _EXPECTED):
        return Refusal.of(error)
    return Refusal(kind=JudgeError, message=f"unexpected failure: {error!r}")


def own_version() -> str:
    return installed_version() or "from a source tree"
