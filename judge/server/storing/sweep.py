"""Removes what ended long ago: `keep_days`.

A batch goes as a whole, when all of it has ended and its last row did so long ago. First it is marked, so that nobody
finds it with a part of its rows. Then its rows go, then the batch. Each step is one small transaction. Servers that
share a database pass over what another one removes.
"""

from __future__ import annotations

import logging
import threading
import time

import sqlalchemy as sql
from sqlalchemy.exc import SQLAlchemyError

from judge.server.storing.store import Store
from judge.server.storing.tables import BATCHES, ONCE, OWED, WORK

_log = logging.getLogger(__name__)

#: Rows, and batches, of one transaction.
_STEP = 500
#: Seconds between two looks.
_LOOK_S = 60.0


def keep(store: Store, days: float, closed: threading.Event) -> None:
    """A thread: remove what ended so long ago, until `closed`."""
    while True:
        began = time.monotonic()
        try:
            more = step(store, time.time() - days * 86_400)
        except SQLAlchemyError as error:
            more = False
            _log.error("old results cannot be removed: %s", str(error).splitlines()[0])
        # Others have the database for as long as this has had it, at least.
        if closed.wait(time.monotonic() - began if more else _LOOK_S):
            return


def step(store: Store, before_s: float) -> bool:
    """Remove some of what ended before a time (since the epoch): whether there may be more."""
    single = sql.select(WORK.c.number).where(WORK.c.batch.is_(None), ~OWED, WORK.c.ended_s < before_s)
    keys = sql.select(ONCE.c.owner, ONCE.c.key).where(ONCE.c.made_s < before_s).limit(_STEP)
    with store.writing() as db:
        count = _remove(db, single)
    with store.writing() as db:
        count += db.execute(sql.delete(ONCE).where(sql.tuple_(ONCE.c.owner, ONCE.c.key).in_(keys))).rowcount
    with store.writing() as db:
        count += _mark(db, before_s)
    with store.writing() as db:
        count += _remove_one(db)
    return count > 0


def _remove(db: sql.Connection, numbers: sql.Select[tuple[int]]) -> int:
    some = numbers.limit(_STEP).with_for_update(skip_locked=True)
    return db.execute(sql.delete(WORK).where(WORK.c.number.in_(some.scalar_subquery()))).rowcount


def _mark(db: sql.Connection, before_s: float) -> int:
    later = sql.select(WORK.c.number).where(WORK.c.batch == BATCHES.c.id, WORK.c.ended_s >= before_s).exists()
    whole = BATCHES.c.rows == BATCHES.c.ended + BATCHES.c.cancelled
    found = sql.select(BATCHES.c.id).where(~BATCHES.c.removed, whole, BATCHES.c.made_s < before_s, ~later)
    ids = list(db.scalars(found.limit(_STEP).with_for_update(skip_locked=True)))
    # Rows that were added before the batches were locked are seen now.
    return db.execute(sql.update(BATCHES).where(BATCHES.c.id.in_(ids), ~later).values(removed=True)).rowcount


def _remove_one(db: sql.Connection) -> int:
    """Some rows of a marked batch; the batch, if it has none."""
    id_ = db.scalar(sql.select(BATCHES.c.id).where(BATCHES.c.removed).limit(1).with_for_update(skip_locked=True))
    if id_ is None:
        return 0
    count = _remove(db, sql.select(WORK.c.number).where(WORK.c.batch == id_))
    return count or db.execute(sql.delete(BATCHES).where(BATCHES.c.id == id_)).rowcount
