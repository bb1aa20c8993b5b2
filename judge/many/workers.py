"""Threads that work for an executor. The process does not wait for them when it ends, whatever still waits to be done:
who presses Ctrl-C beside a Judge that nobody closes gets the prompt back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue


class Workers:
    """At most so many threads, started as work comes. Not for the main thread (`judge.common.promise`)."""

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._work = SimpleQueue[Callable[[], None] | None]()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        #: Threads that wait for work, less the work that waits for them.
        self._idle = 0
        self._closed = False

    @property
    def count(self) -> int:
        return len(self._threads)

    def do(self, work: Callable[[], None]) -> None:
        """Have this done when a thread is free, or here after `close`. It must raise nothing.

        Raises:
            RuntimeError: no new thread could be started. One that there is may do it.
        """
        if self._closed:
            work()
            return
        with self._lock:
            self._work.put(work)
            self._idle -= 1
            if self._idle >= 0 or len(self._threads) >= self._most:
                return
            number = len(self._threads)
            self._idle += 1
            thread = threading.Thread(target=self._run, name=f"{self._name}_{number}", daemon=True)
            self._threads.append(thread)
        try:
            thread.start()
        except RuntimeError:
            with self._lock:
                self._threads.remove(thread)
                self._idle -= 1
            raise

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()
            with self._lock:
                self._idle += 1

    def close(self) -> None:
        """Wait until all is done that was asked for."""
        with self._lock:
            self._closed = True
            threads, self._threads = self._threads, []
        for _ in threads:
            self._work.put(None)
        for thread in threads:
            thread.join()
