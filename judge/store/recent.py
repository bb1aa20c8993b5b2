"""What was used last, bounded in all."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class Recent(Generic[_Value]):
    """The values used last, up to `capacity` in all. Not thread-safe."""

    def __init__(self, capacity: int) -> None:
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
        while self._held > self._capacity and len(self._values) > 1:
            self._held -= self._values.popitem(last=False)[1][1]

    def drop(self, key: Hashable) -> None:
        if (found := self._values.pop(key, None)) is not None:
            self._held -= found[1]
