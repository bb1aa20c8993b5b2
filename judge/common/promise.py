"""What a caller in the main thread may wait for. Python raises KeyboardInterrupt there between any two instructions.

    main thread:     aside(work) ──► waits for a Promise, and holds no lock
    thread of ours:  work() ──► locks, queues, sandboxes ──► Promise.set_result

An exception that strikes while Python code takes a lock leaves it taken for ever, and the thread that asks for it next
hangs. So what takes locks of ours runs in threads of ours, which no signal interrupts. What both sides touch is a
`Promise`, whose lock is taken in one step.
"""

from __future__ import annotations

import _thread
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")
#: Seconds after which a sleep in the main thread ends, to look: a signal that comes just before it does not end it.
LOOKS_S = 0.5


class _OneStepCondition(_thread.RLock, threading.Condition):  # type: ignore[misc] # CPython lets it be derived from
    """As `threading.Condition`, but `with` enters it by one call of C code: the lock is taken and its release is sure,
    or neither. `threading.Condition.__enter__` is Python code."""

    def __init__(self) -> None:
        self._sleepers: list[_thread.LockType] = []

    def wait(self, timeout: float | None = None) -> bool:
        sleeper = _thread.allocate_lock()
        sleeper.acquire()
        self._sleepers.append(sleeper)
        try:
            self.release()
            ends_s = math.inf if timeout is None else time.monotonic() + timeout
            while not sleeper.acquire(True, min(LOOKS_S, max(0.0, ends_s - time.monotonic()))):
                if time.monotonic() >= ends_s:
                    return False
            return True
        finally:
            self.acquire()

    def notify_all(self) -> None:
        sleepers, self._sleepers = self._sleepers, []
        for sleeper in sleepers:
            sleeper.release()


class Promise(Future[T]):
    """A `Future` whose lock an interrupt of the thread that waits does not leave taken."""

    def __init__(self) -> None:
        super().__init__()
        self._condition = _OneStepCondition()


def is_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


def begin_aside(work: Callable[[], T]) -> Future[T]:
    """Do this in a thread of its own. Starting one takes no lock: `threading.Thread` would. Where no thread can be
    started, it is done here."""
    promise = Promise[T]()

    def fulfil() -> None:
        try:
            promise.set_result(work())
        except BaseException as error:
            promise.set_exception(error)

    try:
        _thread.start_new_thread(fulfil, ())
    except RuntimeError:  # too many threads, or Python ends
        fulfil()
    return promise


def aside(work: Callable[[], T]) -> T:
    """The result of `work`, which takes locks: for a caller in the main thread it is done in another thread."""
    return begin_aside(work).result() if is_main_thread() else work()
