"""What the lists of the page show, from the database. Every function raises SQLAlchemyError if it does not answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sql

from judge.server.guarding.keys import Caller
from judge.server.observing.metrics import ENDED_WELL
from judge.server.page.charts import LEAST
from judge.server.requests import PACKAGE
from judge.server.storing.store import Store
from judge.server.storing.tables import BATCHES, FOLDED, PACKAGES, WORK

PAGE = 25
_SHOWN = ("number", "id", "kind", "owner", "problem", "language", "verdict", "accepted_s", "ended_s", "batch", "place")
#: Rows with the names that their packages were sent with, and their batches.
_WITH_NAMES = WORK.outerjoin(
    PACKAGES, PACKAGES.c.digest == sql.func.substr(WORK.c.problem, len(PACKAGE) + 1)
).outerjoin(BATCHES, BATCHES.c.id == WORK.c.batch)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which rows. `before` and `after` are numbers of rows between which the page lies."""

    verdict: str | None = None
    problem: str | None = None
    language: str | None = None
    seconds: float | None = None
    batch: str | None = None
    #: Of each batch only the first row.
    folded: bool = False
    before: int | None = None
    after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    rows: Sequence[sql.RowMapping]
    newer: bool
    older: bool


def rows(store: Store, caller: Caller, wanted: Wanted, most: int = PAGE) -> Listed:
    """Newest first. What others have sent only an admin sees."""
    columns: list[Any] = [WORK.c[name] for name in _SHOWN]
    columns += [
        PACKAGES.c.name.label("sent_as"),
        BATCHES.c.rows.label("batch_rows"),
        BATCHES.c.ended.label("batch_ended"),
    ]
    chosen = [*_choose_rows(caller, wanted)]
    upwards = wanted.after is not None
    if wanted.before is not None:
        chosen.append(WORK.c.number < wanted.before)
    if wanted.after is not None:
        chosen.append(WORK.c.number > wanted.after)
    order = WORK.c.number if upwards else WORK.c.number.desc()
    done = WORK.c.result.is_not(None).label("done")
    asked = sql.select(*columns, WORK.c.result, WORK.c.samples, done).select_from(_WITH_NAMES).where(*chosen)
    asked = asked.order_by(order).limit(most + 1)
    with store.reading() as db:
        found = list(db.execute(asked).mappings())
    more = len(found) > most
    found = found[:most]
    if upwards:
        return Listed(rows=found[::-1], newer=more, older=True)
    return Listed(rows=found, newer=wanted.before is not None, older=more)


def _choose_rows(caller: Caller, wanted: Wanted) -> list[Any]:
    chosen: list[Any] = [] if caller.may("admin") else [WORK.c.owner == caller.name]
    for name in ("verdict", "problem", "language", "batch"):
        if (value := getattr(wanted, name)) is not None:
            chosen.append(WORK.c[name] == value)
    if wanted.folded:
        chosen.append(FOLDED)
    if wanted.seconds is not None:
        chosen.append(WORK.c.accepted_s >= time.time() - wanted.seconds)
    return chosen


def one(store: Store, id_: str) -> sql.RowMapping | None:
    """When a row was accepted and ended, and its number."""
    columns = (WORK.c.number, WORK.c.accepted_s, WORK.c.ended_s, WORK.c.verdict, PACKAGES.c.name.label("sent_as"))
    with store.reading() as db:
        return db.execute(sql.select(*columns).select_from(_WITH_NAMES).where(WORK.c.id == id_)).mappings().first()


def batches(store: Store, caller: Caller, before_s: float | None, most: int = PAGE) -> Listed:
    """Newest first."""
    chosen = [~BATCHES.c.removed]
    if not caller.may("admin"):
        chosen.append(BATCHES.c.owner == caller.name)
    if before_s is not None:
        chosen.append(BATCHES.c.made_s < before_s)
    asked = sql.select(BATCHES).where(*chosen).order_by(BATCHES.c.made_s.desc()).limit(most + 1)
    with store.reading() as db:
        found = list(db.execute(asked).mappings())
    return Listed(rows=found[:most], newer=before_s is not None, older=len(found) > most)


def made_s(store: Store, batch: str) -> float | None:
    with store.reading() as db:
        return db.scalar(sql.select(BATCHES.c.made_s).where(BATCHES.c.id == batch))


@dataclass(frozen=True, slots=True, kw_only=True)
class OverTime:
    """How often each verdict came in each stretch of `width_s` seconds."""

    start_s: float
    width_s: float
    bars: Sequence[dict[str, int]]


def over_time(store: Store, batch: str) -> OverTime | None:
    """None: nothing has ended, or its times are not known."""
    mine = WORK.c.batch == batch, WORK.c.ended_s.is_not(None)
    with store.reading() as db:
        first, last = db.execute(
            sql.select(sql.func.min(WORK.c.ended_s), sql.func.max(WORK.c.ended_s)).where(*mine)
        ).one()
        if first is None:
            return None
        width = max((last - first) / LEAST * 1.000001, 1.0)
        bar = sql.cast(sql.func.floor((WORK.c.ended_s - first) / width), sql.Integer).label("bar")
        counted = sql.select(bar, WORK.c.verdict, sql.func.count()).where(*mine).group_by(bar, WORK.c.verdict)
        bars: list[dict[str, int]] = [{} for _ in range(int((last - first) / width) + 1)]
        for number, verdict, count in db.execute(counted):
            bars[min(number, len(bars) - 1)][verdict or ENDED_WELL] = count
    return OverTime(start_s=first, width_s=width, bars=bars)
