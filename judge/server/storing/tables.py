"""The tables of the server's database, and how one of an earlier version gets what it lacks."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sql
from sqlalchemy import schema
from sqlalchemy.dialects import postgresql, sqlite

METADATA = sql.MetaData()
_NUMBER = sql.BigInteger().with_variant(sql.Integer, "sqlite")
WORK = sql.Table(
    "work",
    METADATA,
    sql.Column("number", _NUMBER, primary_key=True, autoincrement=True),
    sql.Column("id", sql.Text, nullable=False, unique=True),
    sql.Column("kind", sql.Text, nullable=False),
    sql.Column("owner", sql.Text, nullable=False),
    sql.Column("request", sql.Text, nullable=False),
    #: What its endpoint keeps with it; nothing else reads it.
    sql.Column("note", sql.Text),
    sql.Column("accepted_s", sql.Float, nullable=False),
    #: Of a batch: which, and the place in it.
    sql.Column("batch", sql.Text),
    sql.Column("place", sql.Integer),
    #: With whom it takes turns: a key, or an address. A row of an earlier version has none.
    sql.Column("party", sql.Text, nullable=False, server_default=""),
    #: Who judges it, and until when that holds.
    sql.Column("server", sql.Text),
    sql.Column("claimed_until_s", sql.Float),
    sql.Column("result", sql.Text),
    #: Which tests of the result are shown to everybody: `judge.server.storing.shown`.
    sql.Column("samples", sql.Text),
    sql.Column("verdict", sql.Text),
    #: The how many-th of its batch it was to end.
    sql.Column("ended", sql.Integer),
    #: What lists are chosen by. A row of an earlier version has none.
    sql.Column("problem", sql.Text),
    sql.Column("language", sql.Text),
    sql.Column("ended_s", sql.Float),
    #: The trace that its request belongs to: the headers of W3C Trace Context, as JSON.
    sql.Column("trace", sql.Text),
)
BATCHES = sql.Table(
    "batches",
    METADATA,
    sql.Column("id", sql.Text, primary_key=True),
    sql.Column("owner", sql.Text, nullable=False),
    sql.Column("made_s", sql.Float, nullable=False),
    sql.Column("rows", sql.Integer, nullable=False),
    sql.Column("ended", sql.Integer, nullable=False),
    sql.Column("cancelled", sql.Integer, nullable=False),
    #: Nobody finds it any more, and its rows are being removed.
    sql.Column("removed", sql.Boolean, nullable=False, server_default=sql.false()),
)
PACKAGES = sql.Table(
    "packages",
    METADATA,
    sql.Column("digest", sql.Text, primary_key=True),
    sql.Column("name", sql.Text, nullable=False),
    sql.Column("owner", sql.Text, nullable=False),
    sql.Column("made_s", sql.Float, nullable=False),
    sql.Column("content", sql.LargeBinary, nullable=False),
    #: When it was last sent or asked for. A package of an earlier version has none.
    sql.Column("used_s", sql.Float),
)
#: Requests with an idempotency key: a digest of each, and the ids (JSON) of the rows, or of the batch, that it made.
ONCE = sql.Table(
    "once",
    METADATA,
    sql.Column("owner", sql.Text, primary_key=True),
    sql.Column("key", sql.Text, primary_key=True),
    sql.Column("asked", sql.Text, nullable=False),
    sql.Column("ids", sql.Text, nullable=False),
    sql.Column("made_s", sql.Float, nullable=False, index=True),
)
#: CPU time of the programs of those keys that have a limit, by the hour (since the epoch).
SPENT = sql.Table(
    "spent",
    METADATA,
    sql.Column("owner", sql.Text, primary_key=True),
    sql.Column("hour", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("cpu_ns", sql.BigInteger, nullable=False),
)
#: Of people who look at the page with an API key. Tokens and keys are kept as hashes.
SESSIONS = sql.Table(
    "sessions",
    METADATA,
    sql.Column("token", sql.Text, primary_key=True),
    sql.Column("key", sql.Text, nullable=False),
    sql.Column("until_s", sql.Float, nullable=False),
)
OWED = WORK.c.result.is_(None)
sql.Index("work_owed_by", WORK.c.owner, sqlite_where=OWED, postgresql_where=OWED)
sql.Index("work_owed_to", WORK.c.party, WORK.c.number, sqlite_where=OWED, postgresql_where=OWED)
sql.Index("work_owed", WORK.c.batch, WORK.c.number, sqlite_where=OWED, postgresql_where=OWED)
_OF_BATCH = WORK.c.batch.is_not(None)
sql.Index("work_ended", WORK.c.ended_s, sqlite_where=~_OF_BATCH, postgresql_where=~_OF_BATCH)
sql.Index("batches_removed", BATCHES.c.removed, sqlite_where=BATCHES.c.removed, postgresql_where=BATCHES.c.removed)
#: What is no row of a batch, and the first row of each. (A literal: a parameter would keep the index from being used.)
FOLDED = WORK.c.batch.is_(None) | (WORK.c.place == sql.literal_column("1"))
sql.Index("work_folded", WORK.c.number, sqlite_where=FOLDED, postgresql_where=FOLDED)
# They hold all that is asked for: the rows themselves have long texts before these columns.
sql.Index(
    "work_of_batch", WORK.c.batch, WORK.c.ended, WORK.c.verdict, sqlite_where=_OF_BATCH, postgresql_where=_OF_BATCH
)
sql.Index(
    "work_over_time", WORK.c.batch, WORK.c.ended_s, WORK.c.verdict, sqlite_where=_OF_BATCH, postgresql_where=_OF_BATCH
)
for _column in (WORK.c.verdict, WORK.c.problem, WORK.c.language):
    sql.Index(f"work_by_{_column.name}", _column, WORK.c.number)


def prepare(engine: sql.Engine) -> None:
    """Make what is not there yet: tables, columns, indexes."""
    METADATA.create_all(engine)
    once = "IF NOT EXISTS " if engine.dialect.name == "postgresql" else ""  # another server may be at it
    for table in METADATA.sorted_tables:
        known = {column["name"] for column in sql.inspect(engine).get_columns(table.name)}
        missing = [column for column in table.columns if column.name not in known]
        if not missing:
            continue
        with engine.begin() as db:
            for column in missing:
                kind = schema.CreateColumn(column).compile(dialect=engine.dialect)
                db.execute(sql.text(f"ALTER TABLE {table.name} ADD COLUMN {once}{kind}"))
            for index in table.indexes:
                index.create(db, checkfirst=True)


def insert_new(db: sql.Connection, table: sql.Table, values: dict[str, Any]) -> bool:
    """Whether there was no such row before."""
    insert = postgresql.insert if db.dialect.name == "postgresql" else sqlite.insert
    return db.scalar(insert(table).values(values).on_conflict_do_nothing().returning(*table.primary_key)) is not None
