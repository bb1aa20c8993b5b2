"""Stores in memory: the values used last (`Recent`), values that may be a moment old (`Fresh`), and values that are
made once for many threads (`Once`)."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

from judge.common.errors import Cancelled

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class Recent(Generic[_Value]):
    """The values used last, as long as their sizes add up to `capacity`; None: all values. Not thread-safe."""

    def __init__(self, capacity: int | None = None) -> None:
        self._capacity = capacity
        self._held = 0
        self._values: OrderedDict[Hashable, tuple[_Value, int]] = OrderedDict()

    def get(self, key: Hashable) -> _Value | None:
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[0]

    def put(self, key: Hashable, value: _Value, size: int = 1) -> None:
        self.drop(key)
        self._values[key] = value, size
        self._held += size
        while self._capacity is not None and self._held > self._capacity and len(self._values) > 1:
            self._held -= self._values.popitem(last=False)[1][1]

    def drop(self, key: Hashable) -> None:
        if (found := self._values.pop(key, None)) is not None:
            self._held -= found[1]

    def clear(self) -> None:
        self._values.clear()
        self._held = 0


class Fresh(Generic[_Key, _Value]):
    """Remembers what `make` gives for a key, for some seconds. A failure is not kept. Thread-safe: two threads may make
    the same value."""

    def __init__(self, make: Callable[[_Key], _Value], seconds: float, capacity: int) -> None:
        self._make, self._seconds = make, seconds
        self._lock = threading.Lock()
        #: Each with the time from which it holds.
        self._made = Recent[tuple[float, _Value]](capacity)

    def get(self, key: _Key) -> _Value:
        now = time.monotonic()
        with self._lock:
            made = self._made.get(key)
        if made is not None and now < made[0] + self._seconds:
            return made[1]
        value = self._make(key)
        with self._lock:
            self._made.put(key, (now, value))
        return value


class Once(Generic[_Value]):
    """Makes one value for each key, however many threads ask. All who wait get a failure, too, but it is not kept. If
    the one who makes it is stopped, the next one makes it.
    Above `capacity` the values that were asked for longest ago are dropped. `size`: what a value counts there."""

    def __init__(self, capacity: int | None = None, size: Callable[[_Value], int] = lambda _: 1) -> None:
        self._lock = threading.Lock()
        self._size = size
        self._made = Recent[Future[_Value]](capacity)

    def get(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        while True:
            made, mine = self._get(key, make)
            try:
                return made.result()
            except Cancelled:
                if mine:
                    raise

    def _get(self, key: Hashable, make: Callable[[], _Value]) -> tuple[Future[_Value], bool]:
        """The value, perhaps of another thread that makes it now, and whether this one made it."""
        with self._lock:
            made = self._made.get(key)
            mine = made is None
            if made is None:
                made = Future()
                self._made.put(key, made)
        if mine:
            try:
                value = make()
                with self._lock:
                    if self._made.get(key) is made:
                        self._made.put(key, made, self._size(value))
                made.set_result(value)
            except BaseException as error:
                with self._lock:
                    if self._made.get(key) is made:
                        self._made.drop(key)
                made.set_exception(error)
        return made, mine

    def clear(self) -> None:
        with self._lock:
            self._made.clear()
