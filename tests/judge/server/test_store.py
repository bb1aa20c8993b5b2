"""Databases of earlier versions."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from judge.server.storing.store import Row, Store

#: The table as it was before lists were chosen by problem and language.
_BEFORE = """
CREATE TABLE work (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
owner TEXT NOT NULL, once TEXT, request TEXT NOT NULL, note TEXT, accepted_s FLOAT NOT NULL, batch TEXT, place INTEGER,
server TEXT, claimed_until_s FLOAT, result TEXT, public TEXT, verdict TEXT, ended INTEGER);
INSERT INTO work (id, kind, owner, request, accepted_s) VALUES ('old', 'judgement', '', '{}', 1.0);
"""


def test_what_an_earlier_version_has_accepted_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "server.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(_BEFORE)
    for _ in range(2):
        store = Store(path)
        old = store.get("old")
        assert old is not None
        assert (old.request, old.problem) == ("{}", None)
        store.close()
    store = Store(path)
    store.add([Row(id="new", kind="judgement", owner="", request="{}", problem="P1001", language="cpp17")])
    assert [row.id for row in store.claim(9, 60)] == ["old", "new"]
    store.close()
    with sqlite3.connect(path) as db:
        indexes = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    assert {"work_by_problem", "work_over_time"} <= indexes
