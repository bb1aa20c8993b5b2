"""What the server has accepted, and what came of it, in one SQLite file. A row is there before its client hears of it,
and gets its result once: a server that is killed finds what it owes at its next start."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from judge.common.errors import ConfigError

Kind = Literal["judgement", "execution"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS work (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, owner TEXT NOT NULL,
    once TEXT, request TEXT NOT NULL, accepted_s REAL NOT NULL, result TEXT, public TEXT, ended_s REAL
);
CREATE UNIQUE INDEX IF NOT EXISTS once ON work (owner, once) WHERE once IS NOT NULL;
CREATE INDEX IF NOT EXISTS owed ON work (number) WHERE result IS NULL;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    id: str
    kind: Kind
    owner: str
    request: str
    #: JSON; None: not known yet. `public`: without what would reveal hidden tests.
    result: str | None
    public: str | None


class Store:
    """Thread-safe."""

    def __init__(self, path: Path) -> None:
        """
        Raises:
            ConfigError: the file cannot be used.
        """
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=30)
            path.chmod(0o600)
            self._db.execute("PRAGMA journal_mode = WAL")
            # A commit survives the death of this process; one of the machine may undo the last moments.
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_SCHEMA)
        except (sqlite3.Error, OSError) as error:
            raise ConfigError(f"database {path}: {error}; name another with --database") from error

    def add(self, row: Row, once: str | None) -> tuple[str, bool]:
        """Store an accepted row. With `once` (an idempotency key of its owner) that is there already, nothing is added.
        Returns the id that holds now, and whether it is new."""
        with self._lock:
            added = self._db.execute(
                "INSERT INTO work (id, kind, owner, once, request, accepted_s) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                (row.id, row.kind, row.owner, once, row.request, time.time()),
            ).rowcount
            if added:
                return row.id, True
            same = "SELECT id FROM work WHERE owner = ? AND once = ?"
            (known,) = self._db.execute(same, (row.owner, once)).fetchone()
            return str(known), False

    def finish(self, id_: str, result: str, public: str) -> bool:
        """Store a result, unless there is one already: whether it was stored."""
        with self._lock:
            return (
                self._db.execute(
                    "UPDATE work SET result = ?, public = ?, ended_s = ? WHERE id = ? AND result IS NULL",
                    (result, public, time.time(), id_),
                ).rowcount
                == 1
            )

    def get(self, id_: str) -> Row | None:
        with self._lock:
            found = self._db.execute(
                "SELECT id, kind, owner, request, result, public FROM work WHERE id = ?", (id_,)
            ).fetchone()
        return None if found is None else _row(found)

    def owed(self) -> Iterator[Row]:
        """All without a result, in the order in which they were accepted."""
        last = 0
        while True:
            with self._lock:
                found = self._db.execute(
                    "SELECT number, id, kind, owner, request, result, public FROM work"
                    " WHERE result IS NULL AND number > ? ORDER BY number LIMIT 500",
                    (last,),
                ).fetchall()
            if not found:
                return
            for number, *values in found:
                last = number
                yield _row(values)

    def close(self) -> None:
        with self._lock:
            self._db.close()


def _row(values: tuple[object, ...] | list[object]) -> Row:
    id_, kind, owner, request, result, public = values
    return Row(id=id_, kind=kind, owner=owner, request=request, result=result, public=public)  # type: ignore[arg-type]
