"""Makes the rows of what is accepted. What was judged before has its result at once: one transaction stores both, and
nobody claims it."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sql

from judge.common.models import Judgement
from judge.server.guarding.keys import Limits
from judge.server.guarding.limits import room
from judge.server.observing.audit import call
from judge.server.requests import ExecutionRequest, JudgementRequest
from judge.server.storing.packages import check_held
from judge.server.storing.shown import WHOLE
from judge.server.storing.store import Check, Row
from judge.server.storing.texts import Texts
from problems.model import MIB

Request = JudgementRequest | ExecutionRequest
#: Bytes of results that the rows of one call have at once. What is known beyond them is claimed as what is not.
_MOST_BYTES = 64 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    rows: list[Row] = field(default_factory=list)
    #: Those of the rows that were judged before, with what came of them.
    known: list[tuple[Row, Judgement]] = field(default_factory=list)

    def check(self, owner: str, limits: Limits) -> Check:
        """What must hold when the rows have been written."""
        some_room = room(owner, limits, sum(row.result is None for row in self.rows))
        packages = check_held(
            {row.problem for row in self.rows if row.request}
        )  # one whose verdict is known is a use, too

        def check(db: sql.Connection) -> None:
            if some_room is not None:
                some_room(db)
            packages(db)

        return check


def new(
    requests: Sequence[Request | Judgement],
    owner: str,
    texts: Texts,
    *,
    trace: str | None,
    batch: str | None = None,
    notes: Sequence[str] | None = None,
) -> New:
    """A Judgement is of a row that needs no judging. Of each row a note may be kept."""
    made, left = New(), _MOST_BYTES
    for request, note in zip(requests, notes or itertools.repeat(None, len(requests)), strict=True):
        values: dict[str, Any] = {
            "id": _id(),
            "owner": owner,
            "party": call().party or owner,
            "batch": batch,
            "note": note,
            "language": request.language,
        }
        if isinstance(request, Judgement):
            text = request.to_json()
            values |= {"kind": "judgement", "request": "", "problem": request.problem, "verdict": request.verdict.value}
            made.rows.append(Row(**values, result=text, samples=WHOLE))
            continue
        values |= {"request": request.model_dump_json(), "trace": trace}
        if isinstance(request, ExecutionRequest):
            made.rows.append(Row(**values, kind="execution"))
            continue
        values |= {"kind": "judgement", "problem": request.problem}
        known = texts.find_known(request) if left > 0 else None
        if known is None:
            made.rows.append(Row(**values))
            continue
        left -= known.size
        row = Row(
            **values, result=known.with_id(request.id), samples=known.samples, verdict=known.judgement.verdict.value
        )
        made.rows.append(row)
        made.known.append((row, known.judgement))
    return made


def _id() -> str:
    """122 random bits, in a form that clients of other judges take, too."""
    return str(uuid.uuid4())
