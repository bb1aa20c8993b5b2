"""How much this server has judged in each minute of the last hour."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence

_MINUTES = 60
#: Stands for what ended well without a verdict: a program without a problem.
ENDED_WELL = "OK"


class Minutes:
    """Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[int, Counter[str]] = {}

    def count(self, verdict: str | None) -> None:
        now = int(time.time() // 60)
        with self._lock:
            if now not in self._counts:
                self._counts = {then: one for then, one in self._counts.items() if now - _MINUTES < then < now}
                self._counts[now] = Counter()
            self._counts[now][verdict or ENDED_WELL] += 1

    def last_hour(self) -> Sequence[Mapping[str, int]]:
        """How often each verdict came, by minute, the current one last."""
        now = int(time.time() // 60)
        with self._lock:
            return [dict(self._counts.get(then, {})) for then in range(now - _MINUTES + 1, now + 1)]
