"""Makes the rows of what is accepted. What was judged before has its result at once: one transaction stores both, and
nobody claims it. Its JSON is made once, however many rows ask for it: only their ids differ."""

from __future__ import annotations

import itertools
import threading
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sql

from judge.common.models import Judgement, Submission, with_id
from judge.many.pool import Judge
from judge.server.guarding.keys import Limits
from judge.server.guarding.limits import check_room
from judge.server.observing.audit import call
from judge.server.problem_facts import ProblemFacts
from judge.server.requests import ACCEPTED, PACKAGE, ExecutionRequest, JudgementRequest
from judge.server.storing.packages import Packages, check_held
from judge.server.storing.shown import WHOLE
from judge.server.storing.store import Row
from judge.store.recent import Recent
from problems.model import MIB

Request = JudgementRequest | ExecutionRequest
#: Bytes of results that the rows of one call have at once. What is known beyond them is claimed as what is not.
_MOST_BYTES = 64 * MIB
#: Size of the JSON that is kept of judgements that are known.
_KEPT_BYTES = 32 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A judgement that was made before, without an id, and its JSON. `samples`: as `shown.encode_names` makes it."""

    judgement: Judgement
    text: str
    samples: str

    @property
    def size(self) -> int:
        return len(self.text) + len(self.samples)

    def with_id(self, id_: str | None) -> str:
        return with_id(self.text, id_)


class KnownJudgements:
    """Thread-safe."""

    def __init__(self, judge: Judge, packages: Packages, facts: ProblemFacts) -> None:
        self._judge, self._packages, self._facts = judge, packages, facts
        self._lock = threading.Lock()
        #: By the judgement's id(): it stays alive, and so its own, while it is kept here.
        self._known = Recent[Known](_KEPT_BYTES)

    def find(self, request: JudgementRequest) -> Known | None:
        """What was judged before, if the request takes it; None: it is to be judged."""
        if not request.options.verdict_cache:
            return None
        digest = request.package
        problem = request.problem if digest is None else self._packages.find_unpacked(digest)
        if problem is None:
            return None
        asked = request.submission(problem)
        judgement = self._judge.find_known(
            Submission(source=asked.source, problem=problem, language=asked.language, files=asked.files),
            request.judge_options(),
        )
        return None if judgement is None else self._encode(judgement, self._facts.read_samples(problem))

    def _encode(self, judgement: Judgement, samples: str) -> Known:
        with self._lock:
            known = self._known.get(id(judgement))
        if known is not None and known.judgement is judgement and known.samples == samples:
            return known
        known = Known(judgement=judgement, text=judgement.to_json(), samples=samples)
        with self._lock:
            self._known.put(id(judgement), known, known.size)
        return known


def read_request(row: Row) -> Request:
    """What was accepted as this row. Its problem may be gone."""
    kind: type[Request] = JudgementRequest if row.kind == "judgement" else ExecutionRequest
    return kind.model_validate_json(row.request, context=ACCEPTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    rows: list[Row] = field(default_factory=list)
    #: Those of the rows that were judged before, with what came of them.
    known: list[tuple[Row, Judgement]] = field(default_factory=list)

    def check(self, limits: Limits, db: sql.Connection) -> None:
        """What must hold when the transaction has written the rows. `limits`: those of their owner.

        Raises:
            Refused: too many rows of the owner wait.
            UnknownProblem: a row's package is not there (any more).
        """
        if limits.most_waiting is not None and self.rows:
            check_room(db, self.rows[0].owner, limits.most_waiting, sum(row.result is None for row in self.rows))
        # One whose verdict is known is a use, too.
        names = {row.problem for row in self.rows if row.request and row.problem is not None}
        if digests := {name.removeprefix(PACKAGE) for name in names if name.startswith(PACKAGE)}:
            check_held(db, digests)


def make_rows(
    requests: Sequence[Request | Judgement],
    owner: str,
    judgements: KnownJudgements,
    *,
    trace: str | None,
    batch: str | None = None,
    notes: Sequence[str] | None = None,
) -> New:
    """A Judgement is of a row that needs no judging. Of each row a note may be kept."""
    made, left = New(), _MOST_BYTES
    party = call().party or owner
    for request, note in zip(requests, notes or itertools.repeat(None, len(requests)), strict=True):
        values: dict[str, Any] = {
            "id": str(uuid.uuid4()),  # 122 random bits, in a form that clients of other judges take, too
            "owner": owner,
            "party": party,
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
        known = judgements.find(request) if left > 0 else None
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
