"""Reads the limits that a row states where its schema reads none: in columns of these names, or in maps that columns
hold.

    "time_limit": 2                                               seconds, or milliseconds from 100 on
    "metadata": {"time_limit": "2.0 seconds", "memory_limit_bytes": 268435456}
    "problem_metadata": {"time_limit_ms": 2000, "memory_limit_kb": 262144}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from judge.checkers.values import Number
from trainer_adapter.data.deciding import DEEPEST, holds, open_text
from trainer_adapter.data.item import Unusable, loads, megabytes, seconds


def guess_time(value: Any) -> int | None:
    """Seconds up to 60, milliseconds from 100 on: no contest has limits of the other kinds."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 60:
        if value < 100:
            raise Unusable("time limit is not understood: neither seconds nor milliseconds")
        return seconds(f"{value} ms")
    if isinstance(value, str) and value.startswith("{"):  # Python's own words for CodeContests' map
        return seconds(loads(value.replace("'", '"')))
    return seconds(value)


def guess_memory(value: Any) -> int | None:
    """MiB up to 16384, bytes from 2^20 on."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 1 << 14:
        if value < 1 << 20:
            raise Unusable("memory limit is not understood: neither MiB nor bytes")
        return int(value)
    return megabytes(value)


def count_bytes(value: Any) -> int | None:
    """Bytes, or a text with a unit of its own."""
    return megabytes(value if value is None or isinstance(value, str) else f"{value} b")


_TIMES: Mapping[str, Callable[[Any], int | None]] = {
    "time_limit": guess_time,
    "time_limit_ms": lambda value: seconds(f"{value} ms"),
    "time_limit_s": lambda value: seconds(f"{value} s"),
    "time_limit_seconds": lambda value: seconds(f"{value} s"),
}
_SIZES: Mapping[str, Callable[[Any], int | None]] = {
    "memory_limit": guess_memory,
    "memory_limit_mb": lambda value: megabytes(f"{value} mb"),
    "memory_limit_kb": lambda value: megabytes(f"{value} kb"),
    "memory_limit_bytes": count_bytes,
}
NAMES = frozenset((*_TIMES, *_SIZES))


@dataclass(slots=True)
class Stated:
    """The limits that were found. Of several the largest counts, which wrongs no program."""

    cpu_ns: list[int] = field(default_factory=list)
    memory_bytes: list[int] = field(default_factory=list)

    @property
    def is_stated(self) -> bool:
        return bool(self.cpu_ns or self.memory_bytes)

    def take(self, held: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
        """What is left of these columns without their limits.

        Raises:
            Unusable: a limit is not understood.
        """
        left = {}
        for name, value in held.items():
            found = open_text(value)
            if name in NAMES and holds(found):
                self._add(name, value)
            elif isinstance(found, Mapping) and depth < DEEPEST:
                left[name] = self.take(found, depth + 1)
            else:
                left[name] = value
        return left

    def _add(self, name: str, value: Any) -> None:
        read, limits = (_TIMES[name], self.cpu_ns) if name in _TIMES else (_SIZES[name], self.memory_bytes)
        try:
            limit = read(float(value) if isinstance(value, Number) else value)
        except (TypeError, ValueError, ArithmeticError):
            raise Unusable(f"has {name!r}, which is not understood") from None
        if limit is not None:
            limits.append(limit)
