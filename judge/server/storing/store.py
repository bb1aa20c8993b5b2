"""What the server has accepted, and what came of it, in one database: an SQLite file, or a shared PostgreSQL.

A row is there before its client hears of it, and gets its result once.

A server claims the rows that it is about to judge, and holds the claim by renewing it. Rows whose claim has run out are
claimed by whoever comes: their server was killed, or cannot reach the database.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sql
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from judge.common.errors import ConfigError
from judge.server.storing import tables
from judge.server.storing.once import Once, find_answer, note
from judge.server.storing.shown import public_text
from judge.server.storing.tables import BATCHES, OWED, PACKAGES, SPENT, WORK, insert_new

Kind = Literal["judgement", "execution"]
#: Looks at what a transaction has written, and raises if it must not be.
Check = Callable[[sql.Connection], None]

_ROW = (
    WORK.c.id, WORK.c.kind, WORK.c.owner, WORK.c.request, WORK.c.note, WORK.c.batch, WORK.c.place,
    WORK.c.problem, WORK.c.accepted_s, WORK.c.trace, WORK.c.party,
)  # fmt: skip
_RESULT = (WORK.c.result, WORK.c.samples, WORK.c.ended_s)
_SENT = (
    *("id", "kind", "owner", "request", "note", "problem", "language", "accepted_s", "trace", "party"),
    *("result", "samples", "verdict"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    id: str
    kind: Kind
    owner: str
    request: str
    note: str | None = None
    batch: str | None = None
    place: int | None = None
    #: JSON; None: not known yet. `samples`: which of its tests everybody may see, as `storing.shown` reads it.
    result: str | None = None
    samples: str | None = None
    verdict: str | None = None
    problem: str | None = None
    language: str | None = None
    accepted_s: float = field(default_factory=time.time)
    #: None: it has no result, or got it from a version that did not store when.
    ended_s: float | None = None
    #: As `judge.server.observing.traces` carries it.
    trace: str | None = None
    #: With whom it takes turns (`judge.server.queueing.turns`).
    party: str = ""

    @property
    def public(self) -> str | None:
        """The result without what would reveal hidden tests."""
        return None if self.result is None else public_text(self.kind, self.result, self.samples)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a row: JSON, and which of its tests everybody may see, as `storing.shown` reads it."""

    row: Row
    text: str
    samples: str
    verdict: str | None
    #: CPU time that its owner is charged.
    spent_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    id: str
    owner: str
    rows: int
    ended: int
    cancelled: int


class Store:
    """Thread-safe. Every method raises SQLAlchemyError if the database does not answer."""

    def __init__(self, where: str | Path) -> None:
        """`where`: a file of SQLite, or postgresql://….

        Raises:
            ConfigError: the database cannot be used, or another server uses the file.
        """
        self.shared = not isinstance(where, Path)
        self._me = secrets.token_hex(8)
        #: SQLite lets one write at a time, and has the others sleep and look again: they wait here instead.
        self._writes: AbstractContextManager[object] = nullcontext() if self.shared else threading.Lock()
        self._lock_file = -1
        try:
            if isinstance(where, Path):
                self._lock_file = _only_server(where)
                self._engine = _sqlite(where)
            else:
                url = sql.make_url(where).set(drivername="postgresql+psycopg")
                self._engine = sql.create_engine(url, pool_size=8, max_overflow=32, pool_pre_ping=True)
            tables.prepare(self._engine)
            if not self.shared:  # whoever held a claim is gone: this one has the file alone
                with self.writing() as db:
                    db.execute(sql.update(WORK).where(OWED).values(server=None))
        except ImportError as error:
            needs = f"needs {error.name}: run pip install '.[postgres]' in judge's checkout"
            raise ConfigError(f"database {hide_password(where)}: {needs}") from error
        except (SQLAlchemyError, OSError) as error:
            why = str(error).splitlines()[0]
            raise ConfigError(f"database {hide_password(where)}: {why}; name another with --database") from error

    def add(self, rows: Sequence[Row], once: Once | None = None, check: Check | None = None) -> list[str]:
        """Store accepted rows of one owner, all or none: their ids. One that has a result has ended already. With an
        idempotency key that was sent before, nothing is stored, and the ids are those of then.

        Raises what `check` does, or OtherRequest."""
        ids = [row.id for row in rows]
        with self.writing() as db:
            if once is not None and (known := note(db, rows[0].owner, once, ids)) is not None:
                return known
            db.execute(sql.insert(WORK), [_columns_of(row) for row in rows])
            if check is not None:
                check(db)
        return ids

    def find_answer(self, owner: str, once: Once) -> list[str] | None:
        with self.reading() as db:
            return find_answer(db, owner, once)

    def make_batch(self, owner: str, once: Once | None) -> str:
        """An empty batch: its id. With an idempotency key that was sent before, the batch of then; or OtherRequest."""
        id_ = secrets.token_urlsafe(16)
        with self.writing() as db:
            if once is not None and (known := note(db, owner, once, [id_])) is not None:
                return known[0]
            values = {"id": id_, "owner": owner, "made_s": time.time(), "rows": 0, "ended": 0, "cancelled": 0}
            db.execute(sql.insert(BATCHES).values(values))
        return id_

    def append(self, batch: str, after: int, rows: Sequence[Row], check: Check | None = None) -> int | None:
        """Add rows at the places after + 1, …; one that has a result has ended already.

        Returns how many rows the batch has now; None: nothing was added, because it does not have `after` of them.
        Raises what `check` does.
        """
        count = sum(row.result is not None for row in rows)
        with self.writing() as db:
            ended = db.execute(
                sql.update(BATCHES)
                .where(BATCHES.c.id == batch, BATCHES.c.rows == after, ~BATCHES.c.removed)
                .values(rows=BATCHES.c.rows + len(rows), ended=BATCHES.c.ended + count)
                .returning(BATCHES.c.ended)
            ).scalar()
            if ended is None:
                return None
            ends = itertools.count(ended - count + 1)
            values = [
                _columns_of(row) | {"batch": batch, "place": place, "ended": None if row.result is None else next(ends)}
                for place, row in enumerate(rows, after + 1)
            ]
            if values:
                db.execute(sql.insert(WORK), values)
            if check is not None:
                check(db)
        return after + len(rows)

    def parties(self) -> list[str]:
        """Who has rows without a result."""
        least = sql.select(sql.func.min(WORK.c.party).label("party")).where(OWED).cte("parties", recursive=True)
        after = sql.select(sql.func.min(WORK.c.party)).where(OWED, WORK.c.party > least.c.party).scalar_subquery()
        every = least.union_all(sql.select(after).where(least.c.party.is_not(None)))  # each by one look into the index
        with self._engine.connect() as db:
            return [party for party in db.scalars(sql.select(every.c.party)) if party is not None]

    def claim(self, party: str, most: int, seconds: float) -> list[Row]:
        """Up to so many rows of a party that nobody judges, for so long: those of no batch first, then the oldest."""
        ran_out = sql.and_(WORK.c.server != self._me, WORK.c.claimed_until_s < self._now())
        free = (
            sql.select(WORK.c.number)
            .where(OWED, WORK.c.party == party, sql.or_(WORK.c.server.is_(None), ran_out))
            .order_by(WORK.c.batch.is_not(None), WORK.c.number)
            .limit(most)
            .with_for_update(skip_locked=True)
        )
        claimed = (
            sql.update(WORK)
            .where(WORK.c.number.in_(free.scalar_subquery()))
            .values(server=self._me, claimed_until_s=self._now() + seconds)
            .returning(*_ROW, WORK.c.number)
        )
        with self.writing() as db:
            found = db.execute(claimed).all()
        return [_row(values[:-1]) for values in sorted(found, key=lambda values: values[-1])]

    def renew(self, seconds: float) -> None:
        """Hold what this server has claimed for so long from now."""
        with self.writing() as db:
            db.execute(
                sql.update(WORK).where(OWED, WORK.c.server == self._me).values(claimed_until_s=self._now() + seconds)
            )

    def release(self) -> None:
        """Leave what this server has claimed to the others."""
        with self.writing() as db:
            db.execute(sql.update(WORK).where(OWED, WORK.c.server == self._me).values(server=None))

    def finish(self, results: Sequence[Result]) -> None:
        """Store results, except of rows that have one already."""
        with self._writes, self._engine.connect() as db:
            if self._store_results(db, results) == len(results):
                db.commit()
                return
            db.rollback()
            for result in results:  # somebody has finished or cancelled one of them: which?
                db.commit() if self._store_results(db, [result]) else db.rollback()

    def cancel(self, result: Result) -> bool:
        """Store the result of a row that nobody judges: whether it was stored."""
        with self._writes, self._engine.connect() as db:
            stored = self._store_results(db, [result], WORK.c.server.is_(None)) == 1
            db.commit() if stored else db.rollback()
        return stored

    def _store_results(
        self, db: sql.Connection, results: Sequence[Result], *conditions: sql.ColumnElement[bool]
    ) -> int:
        """How many were stored. If it is not all of them, the transaction is to be rolled back."""
        ended: dict[str, int] = {}
        counts = Counter(result.row.batch for result in results if result.row.batch is not None)
        for id_, count in sorted(counts.items()):  # in one order: servers wait for each other
            more = sql.update(BATCHES).where(BATCHES.c.id == id_).values(ended=BATCHES.c.ended + count)
            ended[id_] = int(db.execute(more.returning(BATCHES.c.ended)).scalar() or 0) - count
        values: list[dict[str, str | int | None]] = []
        for result in sorted(results, key=lambda result: result.row.id):
            if (batch := result.row.batch) is not None:
                ended[batch] += 1
            of = {"of": result.row.id, "ended": None if batch is None else ended[batch]}
            values.append({**of, "result": result.text, "samples": result.samples, "verdict": result.verdict})
        mine = sql.update(WORK).where(WORK.c.id == sql.bindparam("of"), OWED, *conditions)
        stored = mine.values(ended_s=self._now())
        count = db.execute(stored, values).rowcount
        if count == len(results):
            spent = Counter[str]()
            for result in results:
                spent[result.row.owner] += result.spent_ns
            for owner, cpu_ns in sorted(spent.items()):
                if cpu_ns:
                    self._spend(db, owner, cpu_ns)
        return count

    def spend(self, owner: str, cpu_ns: int) -> None:
        """CPU time of what is not stored."""
        with self.writing() as db:
            self._spend(db, owner, cpu_ns)

    def spent_ns(self, owner: str, since: int) -> int:
        """CPU time that programs of an owner have taken since an hour began."""
        with self.reading() as db:
            mine = (SPENT.c.owner == owner, SPENT.c.hour >= since)
            return int(db.scalar(sql.select(sql.func.sum(SPENT.c.cpu_ns)).where(*mine)) or 0)

    def _spend(self, db: sql.Connection, owner: str, cpu_ns: int) -> None:
        insert = postgresql.insert if self.shared else sqlite.insert
        first = insert(SPENT).values(owner=owner, hour=int(time.time() // 3600), cpu_ns=cpu_ns)
        more = {"cpu_ns": SPENT.c.cpu_ns + first.excluded.cpu_ns}
        db.execute(first.on_conflict_do_update(index_elements=[SPENT.c.owner, SPENT.c.hour], set_=more))

    def get(self, id_: str) -> Row | None:
        with self._engine.connect() as db:
            found = db.execute(sql.select(*_ROW, *_RESULT).where(WORK.c.id == id_)).first()
        return None if found is None else _row(found)

    def waiting(self) -> int:
        """How many rows of no batch were accepted and have no result yet."""
        with self._engine.connect() as db:
            return int(db.scalar(sql.select(sql.func.count()).where(OWED, WORK.c.batch.is_(None))) or 0)

    def count_owed(self) -> tuple[int, int]:
        """How many rows of no batch have no result yet, and how many of batches."""
        with self._engine.connect() as db:
            single = sql.func.count().filter(WORK.c.batch.is_(None))
            found = db.execute(sql.select(single, sql.func.count()).where(OWED)).one()
        return found[0], found[1] - found[0]

    def batch(self, id_: str) -> Batch | None:
        with self._engine.connect() as db:
            columns = (BATCHES.c[each.name] for each in fields(Batch))
            found = db.execute(sql.select(*columns).where(BATCHES.c.id == id_, ~BATCHES.c.removed))
            return next((Batch(**values) for values in found.mappings()), None)

    def verdicts(self, batch: str) -> dict[str, int]:
        """How often each came in a batch."""
        ended = sql.select(WORK.c.verdict, sql.func.count()).where(WORK.c.batch == batch, WORK.c.ended.is_not(None))
        with self._engine.connect() as db:
            return {str(verdict): count for verdict, count in sorted(db.execute(ended.group_by(WORK.c.verdict)).all())}

    def list_ended(self, batch: str, after: int, most: int, *, public: bool) -> list[tuple[int, int, str, str]]:
        """(ended, place, id, result) of rows of a batch that have ended, in the order in which they did, from the one
        after the `after`-th. `public`: results without what would reveal hidden tests."""
        wanted = (
            sql.select(WORK.c.ended, WORK.c.place, WORK.c.id, WORK.c.result, WORK.c.samples)
            .where(WORK.c.batch == batch, WORK.c.ended > after)
            .order_by(WORK.c.ended)
            .limit(most)
        )
        with self._engine.connect() as db:
            found = db.execute(wanted).all()
        return [
            (number, place, row, public_text("judgement", result, samples) if public else result)
            for number, place, row, result, samples in found
        ]

    def cancel_batch(self, id_: str, taken_out: Collection[str] | None = None) -> int:
        """Take out the rows that nobody has claimed, or those that this server claimed and does not begin: how many."""
        which = WORK.c.server.is_(None) if taken_out is None else WORK.c.id.in_(taken_out)
        with self.writing() as db:
            waits = (WORK.c.batch == id_, OWED, which)
            count = db.execute(sql.delete(WORK).where(*waits)).rowcount
            more = {"cancelled": BATCHES.c.cancelled + count}
            db.execute(sql.update(BATCHES).where(BATCHES.c.id == id_).values(more))
        return count

    def keep_package(self, digest: str, name: str, owner: str, content: bytes) -> None:
        values = {"digest": digest, "name": name, "owner": owner, "made_s": time.time(), "content": content}
        with self.writing() as db:
            insert_new(db, PACKAGES, values)

    def has_package(self, digest: str) -> bool:
        with self._engine.connect() as db:
            return db.scalar(sql.select(PACKAGES.c.digest).where(PACKAGES.c.digest == digest)) is not None

    def package(self, digest: str) -> tuple[str, bytes] | None:
        """Its name and content."""
        with self._engine.connect() as db:
            found = db.execute(
                sql.select(PACKAGES.c.name, PACKAGES.c.content).where(PACKAGES.c.digest == digest)
            ).first()
        return None if found is None else (found[0], found[1])

    def close(self) -> None:
        self._engine.dispose()
        if self._lock_file >= 0:
            os.close(self._lock_file)

    @contextmanager
    def reading(self) -> Iterator[sql.Connection]:
        with self._engine.connect() as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[sql.Connection]:
        with self._writes, self._engine.begin() as db:
            yield db

    def _now(self) -> Any:
        """Of the database, where servers on several machines share it."""
        return sql.func.extract("epoch", sql.func.clock_timestamp()) if self.shared else time.time()


def hide_password(where: str | Path) -> str:
    """Where a database is, without its password."""
    if isinstance(where, Path):
        return str(where)
    try:
        return sql.make_url(where).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return "postgresql://…, which is no address"


def _columns_of(row: Row) -> dict[str, Any]:
    """The columns of a row that is new."""
    return {name: getattr(row, name) for name in _SENT} | {"ended_s": None if row.result is None else time.time()}


def _row(values: Any) -> Row:
    names = (
        "id",
        "kind",
        "owner",
        "request",
        "note",
        "batch",
        "place",
        "problem",
        "accepted_s",
        "trace",
        "party",
        "result",
        "samples",
        "ended_s",
    )
    return Row(**dict(zip(names, values, strict=False)))


def _only_server(path: Path) -> int:
    """An open file that no other server holds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise ConfigError(
            f"database {path}: another server uses it; name another with --database, or share a postgresql://…"
        ) from error
    return lock


def _sqlite(path: Path) -> sql.Engine:
    engine = sql.create_engine(f"sqlite:///{path}", connect_args={"timeout": 30})

    @sql.event.listens_for(engine, "connect")
    def set_up(connection: Any, _: object) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        # A commit survives the death of this process; one of the machine may undo the last moments.
        connection.execute("PRAGMA synchronous = NORMAL")

    path.touch(mode=0o600)
    path.chmod(0o600)
    return engine
