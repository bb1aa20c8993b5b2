"""Judges submissions in threads of this process, on a part of this machine or on all of it.

    submit ──known──────────────────────────────────────────────────────────► Future
       └──► Waiting ──► worker threads (at most `slots`, started as work comes;  ▲
                            │  and one more for each program that stands still)  │
                            │ each takes a free Slot, the one used last first    │
                            ▼                                                    │
                        Engine.judge(submission, options, slot) ─────────────────┘

A free slot takes the next submission, compiles it and runs its tests, and waits for no other slot. However many slots
there are, only as many programs run at a time as there are cores, and as fit the memory budget (`judge.slots.gate`,
`judge.slots.budget`).
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from containers import ContainerError, Isolation, Sandbox, open_sandbox
from judge.common import config
from judge.common.ending import close_if_given_up, is_closed
from judge.common.errors import Cancelled
from judge.common.models import Judgement, Options, Submission
from judge.common.promise import Promise, aside
from judge.compiling.compiler import Compiler
from judge.judging.engine import Engine
from judge.judging.watch import Watch
from judge.many.ahead import AHEAD
from judge.many.queue import QueuedTask, Waiting, Workers
from judge.slots.budget import Part
from judge.slots.gate import Gate
from judge.slots.slot import Slot
from judge.store.cache import Cache

if TYPE_CHECKING:
    from judge.common.execution import Execution, Program

T = TypeVar("T")

_log = logging.getLogger(__name__)

_STOP_S = 0.02


class LocalExecutor:
    """The `Executor` of this process. It starts nothing before there is work."""

    def __init__(self, part: Part, backend: str, require: str | None, cache_directory: Path | None) -> None:
        """
        Raises:
            ConfigError: the cache directory cannot be used.
        """
        self.slots = part.slots
        self._cache = cache = Cache(cache_directory)
        self._opener = partial(_open, backend, require, config.hidden_directories(cache.directory), part.held)
        self.engine = Engine(compiler=Compiler(cache=cache), cache=cache, inputs_bytes=part.inputs_bytes, others=self)
        self.gate = Gate(min(part.cores, part.slots), part.programs_bytes, part.spares)
        self._workers = Workers(self.slots, "judge")
        self.gate.on_cores_lent = lambda: self._workers.lend(lambda: self.gate.lent_cores)
        self._changed = threading.Condition()
        self._waiting = Waiting(AHEAD * self.slots)  # chooses among what a batch has read
        self._free: list[Slot] = []
        self._busy: set[Slot] = set()
        #: Which slot works for a future, and the slots that are being stopped: nobody takes one of these.
        self._working: dict[Future[Any], Slot] = {}
        self._stopping: list[Slot] = []
        self._closed = False
        #: Of the first `close`, for which others wait.
        self._ended = Promise[None]()
        _open_executors.add(self)
        close_if_given_up(self.close)

    @cached_property
    def isolation(self) -> Isolation:
        with self.lend_slot() as slot:  # which `close` finds, and who asks first often judges next
            return slot.program.isolation

    def submit(self, submission: Submission, options: Options, watch: Watch | None = None) -> Future[Judgement]:
        future = Promise[Judgement]()
        if (known := self.find_known(submission, options)) is not None:
            future.set_result(known)
            return future
        task = QueuedTask(submission=submission, options=options, future=future, watch=watch)
        with self._changed:
            if self._closed:
                raise Cancelled
            self._waiting.put(task)
        self._workers.do(self._work, future)
        return future

    def find_known(self, submission: Submission, options: Options) -> Judgement | None:
        """The stored judgement of an equal submission, if `options` take one; None: none is known to this process."""
        return self.engine.find_known(submission, options) if options.verdict_cache and not self._closed else None

    def _work(self) -> None:
        """Judge one of the waiting submissions, if any is left."""
        while True:
            with self._changed:
                if self._closed or (task := self._waiting.take()) is None:
                    return
            if task.future.set_running_or_notify_cancel():
                break
        judgement = failure = None
        try:
            with self.lend_slot((task.future,)) as slot:
                judgement = self.engine.judge(task.submission, task.options, slot, task.watch)
            if not judgement.cached:
                with self._changed:
                    self._waiting.took(task, judgement.wall_ns)
        except BaseException as error:
            failure = error
        if judgement is None:
            task.future.set_exception(failure)
        else:
            task.future.set_result(judgement)

    def execute(self, program: Program) -> Future[Execution]:
        """As `Judge.submit_program`: when a thread is free."""
        from judge.judging.execute import execute  # noqa: PLC0415 - judging needs none of it

        return self.begin(lambda slot: execute(program, self.engine.compiler, slot))

    def stop(self, future: Future[Any]) -> bool:
        if future.cancel() or future.done():
            return True
        with self._changed:
            slot = self._working.get(future)
            if slot is None:  # it ends just now, or has not begun yet
                return False
            self._stopping.append(slot)
        slot.stop()
        with self._changed:
            self._stopping.remove(slot)
            self._changed.notify_all()
        return False

    def begin(self, work: Callable[[Slot], T]) -> Future[T]:
        """Do this on a slot, when a thread is free.

        Raises:
            Cancelled: this was closed.
        """
        future = Promise[T]()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                with self.lend_slot((future,)) as slot:
                    done = work(slot)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(done)

        if self._closed:
            raise Cancelled
        self._workers.do(run, future)
        return future

    @contextmanager
    def lend_slot(self, mine: Sequence[Future[Any]] = ()) -> Iterator[Slot]:
        """A slot that nobody else uses. `mine`: the future that it works for.

        Raises:
            Cancelled: this was closed.
        """
        with self._changed:
            if self._closed:
                raise Cancelled
            slot = self._free.pop() if self._free else Slot(self._opener, self.gate)
            self._busy.add(slot)
            for future in mine:
                self._working[future] = slot
        try:
            yield slot
        finally:
            with self._changed:
                for future in mine:
                    del self._working[future]
                # A late stop must not meet who takes the slot next.
                self._changed.wait_for(lambda: slot not in self._stopping)
                self._busy.discard(slot)
                self._free.append(slot)
                self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            first, self._closed = not self._closed, True
            left = self._waiting.clear()
        if not first:
            self._ended.result()
            return
        try:
            self._end(left)
        finally:
            is_closed(self.close)
            _open_executors.discard(self)
            self._ended.set_result(None)

    def _end(self, left: list[QueuedTask]) -> None:
        self.gate.close()
        for task in left:
            task.future.cancel()
        while busy := self._find_busy():  # a stop that comes just before a run begins is lost: repeat it
            for slot in busy:
                slot.stop()
            with self._changed:
                self._changed.wait_for(lambda: not self._busy, _STOP_S)
        self._workers.close()
        with self._changed:
            free, self._free = self._free, []
        for slot in free:
            _close(slot)
        self.engine.close()
        self._cache.close()

    def _find_busy(self) -> tuple[Slot, ...]:
        with self._changed:
            return tuple(self._busy)


#: Who was interrupted while a Judge was closed, or did not close one, leaves as little behind.
_open_executors = weakref.WeakSet[LocalExecutor]()
# Threads and sockets of an executor do not survive a fork.
os.register_at_fork(after_in_child=_open_executors.clear)


@atexit.register
def _close_all() -> None:
    for executor in tuple(_open_executors):
        aside(executor.close)


def _open(
    backend: str, require: str | None, hide: tuple[Path, ...], most_held: int, *, held: int | None = None
) -> Sandbox:
    return open_sandbox(backend, require=require, hide=hide, held=most_held if held is None else held)


def _close(slot: Slot) -> None:
    try:
        slot.close()
    except ContainerError as error:
        _log.warning("a sandbox could not be closed: %s", error)
