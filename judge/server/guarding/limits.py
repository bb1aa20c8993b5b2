"""What a key may use: requests a minute, rows that wait, CPU time (and that of a slot, for who sleeps).

Each server counts requests for itself, in memory. Rows and CPU time are counted in the database: they hold for all
servers on it, and after a restart.
"""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections.abc import Callable

import sqlalchemy as sql

from judge.common.execution import Execution
from judge.common.models import Judgement
from judge.judging.commands import Ran
from judge.server.guarding.keys import Caller, Limits
from judge.server.storing.store import Store
from judge.server.storing.tables import OWED, WORK
from problems.model import SECOND_NS

HOUR_S, DAY_S = 3600, 86400
#: How long to wait for rows that wait: what is judged meanwhile makes room.
_QUEUE_S = 5


class Refused(Exception):
    """Answered with 429 and Retry-After; 413 if the same request can never be taken (`retry_s` is None)."""

    def __init__(self, why: str, retry_s: int | None) -> None:
        super().__init__(why)
        self.retry_s = retry_s
        self.status = 413 if retry_s is None else 429


class Full(Refused):
    """As much waits as may."""

    def __init__(self, retry_s: int) -> None:
        super().__init__(f"the queue is full; try again in {retry_s} s", retry_s)


class Busy(Refused):
    """It would wait for longer than it may run itself: its client would have given up by then."""

    def __init__(self, expected_s: float, longest_s: float) -> None:
        retry_s = max(1, min(60, math.ceil(expected_s - longest_s)))
        super().__init__(
            f"it would wait for some {expected_s:.0f} s, longer than the {longest_s:.0f} s that it may run; "
            f"try again in {retry_s} s",
            retry_s,
        )


class Stopping(Refused):
    """The server is asked to end, and takes nothing more: 503."""

    def __init__(self) -> None:
        super().__init__(f"this server is about to end; send it again in {_QUEUE_S} s", _QUEUE_S)
        self.status = 503


class Rates:
    """Requests of each key: as many at once as a minute allows, then as many as time brings. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        #: By key: how many it may still send, and when that was so.
        self._left: dict[str, tuple[float, float]] = {}

    def count(self, caller: Caller) -> None:
        """
        Raises:
            Refused: it sends too many.
        """
        most = caller.limits.requests_per_minute
        if most is None:
            return
        with self._lock:
            now = self._clock()
            left, then = self._left.get(caller.name, (float(most), now))
            left = min(most, left + (now - then) * most / 60)
            if left < 1:
                retry_s = math.ceil((1 - left) * 60 / most)
                raise Refused(
                    f"key {caller.name!r} may send {most} requests a minute; try again in {retry_s} s", retry_s
                )
            self._left[caller.name] = left - 1, now


def check_cpu(store: Store, owner: str, limits: Limits, now_s: float | None = None) -> None:
    """
    Raises:
        Refused: the key has used up its CPU time.
    """
    spans = (("hour", HOUR_S, limits.cpu_seconds_per_hour), ("day", DAY_S, limits.cpu_seconds_per_day))
    now_s = time.time() if now_s is None else now_s
    for name, length_s, most in spans:
        if most is None:
            continue
        began_s = now_s // length_s * length_s
        if store.spent_ns(owner, int(began_s // HOUR_S)) >= most * SECOND_NS:
            retry_s = math.ceil(began_s + length_s - now_s)
            said = f"key {owner!r} has used its {most:g} s of CPU time of this {name}; try again in {retry_s} s"
            raise Refused(said, retry_s)


def check_at_once(owner: str, limits: Limits, count: int) -> None:
    """`count`: what a key has run now without storing it.

    Raises:
        Refused: it may not have more.
    """
    if limits.most_waiting is not None and count >= limits.most_waiting:
        said = f"key {owner!r} may have {limits.most_waiting} programs run at once; try again in {_QUEUE_S} s"
        raise Refused(said, _QUEUE_S)


def check_room(db: sql.Connection, owner: str, most: int, more: int) -> None:
    """Refuses `more` rows of a key, which the transaction has written, if more than `most` of it wait now.

    Raises:
        Refused: they do.
    """
    said = f"key {owner!r} may have {most} rows waiting"
    if more > most:
        raise Refused(f"{said}: send no more than that at once, not {more}", None)
    if db.dialect.name == "postgresql":  # one after the other: each sees what those before it have added
        name = int.from_bytes(hashlib.sha256(owner.encode()).digest()[:8], signed=True)
        db.execute(sql.select(sql.func.pg_advisory_xact_lock(name)))
    some = sql.select(WORK.c.number).where(WORK.c.owner == owner, OWED).limit(most + 1).subquery()
    if (db.scalar(sql.select(sql.func.count()).select_from(some)) or 0) > most:
        raise Refused(f"{said}, and {more} more do not fit; try again in {_QUEUE_S} s", _QUEUE_S)


def spent_ns(result: object) -> int:
    """What a result cost: its compile, unless the cache had it, and its runs; nothing if it was known. A run costs its
    CPU time, or the time for which it held its slot if that is more: else who sleeps could hold all slots for nothing.
    """
    match result:
        case Judgement(cached=True):
            return 0
        case Judgement():
            return _compile_ns(result) + sum(max(test.cpu_ns or 0, test.wall_ns or 0) for test in result.tests)
        case Execution():
            return _compile_ns(result) + result.runs * max(result.cpu_ns or 0, result.wall_ns or 0)
        case Ran():
            return max(result.outcome.usage.cpu_ns or 0, result.outcome.usage.wall_ns)
        case list():
            return sum(map(spent_ns, result))
    return 0


def _compile_ns(result: Judgement | Execution) -> int:
    return 0 if result.compile is None or result.compile.cached else result.compile.cpu_ns
