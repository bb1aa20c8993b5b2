"""Who waits for rows: coroutines of one event loop, which any thread may have look again."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class Waiters:
    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._events: dict[str, list[asyncio.Event]] = {}

    @contextmanager
    def waiting(self, id_: str) -> Iterator[asyncio.Event]:
        """An event that is set when there is news of the row."""
        event = asyncio.Event()
        with self._lock:
            self._events.setdefault(id_, []).append(event)
        try:
            yield event
        finally:
            with self._lock:
                events = self._events[id_]
                events.remove(event)
                if not events:
                    del self._events[id_]

    def tell(self, id_: str) -> None:
        with self._lock:
            events = list(self._events.get(id_, ()))
        self._set(events)

    def tell_all(self) -> None:
        with self._lock:
            events = [event for each in self._events.values() for event in each]
        self._set(events)

    def _set(self, events: Iterable[asyncio.Event]) -> None:
        if not self._loop.is_closed():
            for event in events:
                self._loop.call_soon_threadsafe(event.set)
