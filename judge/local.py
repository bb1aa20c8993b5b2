"""Submissions judged on the cores of this machine.

    submit ──► one queue ──► worker threads (at most `slots`, started as work comes)
                                 │ each takes a free Slot, the one used last first
                                 ▼
                             Engine.judge(submission, options, slot) ──► Future

Compiling and running are one stream of tasks: a slot takes the next submission as soon as it is free, and waits for no
other.
"""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property, partial
from pathlib import Path

from containers import ContainerError, Isolation, Sandbox, open_sandbox
from judge import config
from judge.cache import Cache
from judge.compiler import Compiler
from judge.engine import Engine
from judge.errors import Cancelled
from judge.gate import Gate
from judge.models import Judgement, Options, Submission
from judge.slot import Slot
from judge.slots import available

_log = logging.getLogger(__name__)

_STOP_S = 0.02


class LocalExecutor:
    """An `Executor`. Nothing is started before there is work."""

    def __init__(self, slots: int | None, backend: str, require: str | None, cache_directory: Path | None) -> None:
        """
        Raises:
            ConfigError: the cache directory cannot be used.
        """
        self.slots = slots or available().count
        cache = Cache(cache_directory)
        self._opener = partial(_open, backend, require, config.hidden_directories(cache.directory))
        self._engine = Engine(compiler=Compiler(cache=cache), cache=cache)
        self._gate = Gate()
        self._threads = ThreadPoolExecutor(self.slots, thread_name_prefix="judge")
        self._changed = threading.Condition()
        self._free: list[Slot] = []
        self._busy: set[Slot] = set()
        self._closed = False

    @cached_property
    def isolation(self) -> Isolation:
        with self._opener() as sandbox:
            return sandbox.isolation

    def submit(self, submission: Submission, options: Options) -> Future[Judgement]:
        with self._changed:
            if self._closed:
                raise Cancelled
        if (known := self._engine.known(submission, options)) is not None:
            future: Future[Judgement] = Future()
            future.set_result(known)
            return future
        with self._changed:
            if self._closed:
                raise Cancelled
            return self._threads.submit(self._work, submission, options)

    def _work(self, submission: Submission, options: Options) -> Judgement:
        with self._changed:
            if self._closed:
                raise Cancelled
            slot = self._free.pop() if self._free else Slot(self._opener, self._gate)
            self._busy.add(slot)
        try:
            return self._engine.judge(submission, options, slot)
        finally:
            with self._changed:
                self._busy.discard(slot)
                self._free.append(slot)
                self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closed = True
        self._gate.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._changed:
            while self._busy:  # a stop that comes just before a run begins is lost: repeat it
                for slot in self._busy:
                    slot.stop()
                self._changed.wait(_STOP_S)
        self._threads.shutdown()
        while self._free:
            _close(self._free.pop())
        self._engine.close()


def _open(backend: str, require: str | None, hide: tuple[Path, ...]) -> Sandbox:
    return open_sandbox(backend, require=require, hide=hide)


def _close(slot: Slot) -> None:
    try:
        slot.close()
    except ContainerError as error:
        _log.warning("a sandbox could not be closed: %s", error)
