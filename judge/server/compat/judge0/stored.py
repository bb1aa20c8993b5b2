"""Judge0's submissions in the database: those rows that it has put a note on."""

from __future__ import annotations

import json
import time
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sql

from judge.server.guarding.keys import Caller
from judge.server.storing.store import Row, Store
from judge.server.storing.tables import WORK

_OURS = WORK.c.note.is_not(None)
_DAY_S = 86_400
_COLUMNS = (
    WORK.c.id,
    WORK.c.kind,
    WORK.c.owner,
    WORK.c.request,
    WORK.c.note,
    WORK.c.result,
    WORK.c.samples,
    WORK.c.ended_s,
)


def own(token: str, caller: Caller, store: Store) -> Row | None:
    """A submission, if the caller may see it."""
    row = store.get(token)
    if row is None or row.note is None or (row.owner != caller.name and not caller.may("admin")):
        return None
    return row


def delete(token: str, store: Store) -> None:
    with store.writing() as db:
        db.execute(sql.delete(WORK).where(WORK.c.id == token, _OURS, WORK.c.result.is_not(None)))


def page(caller: Caller, store: Store, number: int, size: int) -> tuple[list[Row], int]:
    """One page of the caller's submissions, the latest first, and how many there are."""
    mine = _OURS if caller.may("admin") else sql.and_(_OURS, WORK.c.owner == caller.name)
    with store.reading() as db:
        count = int(db.scalar(sql.select(sql.func.count()).where(mine)) or 0)
        latest = sql.select(*_COLUMNS).where(mine).order_by(WORK.c.number.desc())
        found = db.execute(latest.limit(size).offset((number - 1) * size)).mappings().all()
    return [Row(**one) for one in found], count


def statistics(store: Store) -> dict[str, Any]:
    """How much was submitted: in all, today and on each of the last 30 days, and by language."""
    now = time.time()
    today = int(now // _DAY_S)
    with store.reading() as db:
        total = int(db.scalar(sql.select(sql.func.count()).where(_OURS)) or 0)
        recent = db.execute(
            sql.select(WORK.c.accepted_s, WORK.c.note).where(_OURS, WORK.c.accepted_s >= (today - 29) * _DAY_S)
        ).all()
    days = Counter(int(accepted // _DAY_S) for accepted, _ in recent)
    numbers = Counter(json.loads(note)["language_id"] for _, note in recent)
    return {
        "now": now,
        "total": total,
        "today": days[today],
        "days": {_date(day): days[day] for day in range(today - 29, today + 1)},
        "languages": numbers.most_common(),
    }


def _date(day: int) -> str:
    return datetime.fromtimestamp(day * _DAY_S, UTC).strftime("%Y-%m-%d")
