"""Threads that work for an executor. The process does not wait for them when it ends, whatever still waits to be done:
who presses Ctrl-C beside a Judge that nobody closes gets the prompt back."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress


class Workers:
    """At most so many threads work, started as work comes, and some more while others of them only wait (`lend`). Not
    for the main thread (`judge.common.promise`)."""

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._changed = threading.Condition()
        self._work: deque[Callable[[], None]] = deque()
        self._threads: list[threading.Thread] = []
        #: Threads that work, and how many of them only wait.
        self._busy = self._lent = 0
        self._started = 0
        self._closed = False

    @property
    def count(self) -> int:
        return len(self._threads)

    def do(self, work: Callable[[], None]) -> None:
        """Have this done when a thread is free, or here after `close`. It must raise nothing.

        Raises:
            RuntimeError: no new thread could be started. One that there is may do it.
        """
        with self._changed:
            if not self._closed:
                self._work.append(work)
                self._changed.notify()
                self._start()
                return
        work()

    def lend(self, count: Callable[[], int]) -> None:
        """So many threads that work only wait: as many more may work beside them. `count` is asked for the newest
        number, and must wait for nothing."""
        with self._changed:
            self._lent = count()
            self._changed.notify_all()
            with suppress(RuntimeError):  # then those that there are do it
                self._start()

    def _start(self) -> None:
        """Start a thread if work waits that could be done now. Call with `_changed`."""
        idle = len(self._threads) - self._busy
        if self._closed or idle >= min(len(self._work), self._most + self._lent - self._busy):
            return
        thread = threading.Thread(target=self._run, name=f"{self._name}_{self._started}", daemon=True)
        thread.start()
        self._started += 1
        self._threads.append(thread)

    def _run(self) -> None:
        while (work := self._take()) is not None:
            work()
            with self._changed:
                self._busy -= 1

    def _take(self) -> Callable[[], None] | None:
        """The next work; None: there is none, and none comes any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._may_begin() or (self._closed and not self._work))
            if not self._work:
                return None
            self._busy += 1
            work = self._work.popleft()
            if self._closed and not self._work:
                self._changed.notify_all()
            return work

    def _may_begin(self) -> bool:
        return bool(self._work) and self._busy < self._most + self._lent

    def close(self) -> None:
        """Wait until all is done that was asked for."""
        with self._changed:
            self._closed = True
            threads, self._threads = self._threads, []
            self._changed.notify_all()
        for thread in threads:
            thread.join()
