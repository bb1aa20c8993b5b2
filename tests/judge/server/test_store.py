"""The database: of earlier versions, and what is removed from it."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from judge.common.execution import Execution
from judge.common.models import CompileResult, DroppedTest, IsolationReport, Judgement, ObjectiveReport, Verdict
from judge.judging.public import public
from judge.server.storing import sweep
from judge.server.storing.once import Once
from judge.server.storing.shown import WHOLE, encode_names, public_text
from judge.server.storing.store import Row, Store
from judge.server.storing.tables import WORK
from tests.judge.judging.test_public import SAYING
from tests.judge.server.conftest import Serve
from tests.judge.server.test_batches import lines

#: The table as it was before lists were chosen by problem and language.
_BEFORE = """
CREATE TABLE work (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
owner TEXT NOT NULL, once TEXT, request TEXT NOT NULL, note TEXT, accepted_s FLOAT NOT NULL, batch TEXT, place INTEGER,
server TEXT, claimed_until_s FLOAT, result TEXT, public TEXT, verdict TEXT, ended INTEGER);
CREATE TABLE batches (id TEXT PRIMARY KEY, owner TEXT NOT NULL, once TEXT, made_s FLOAT NOT NULL, rows INTEGER NOT NULL,
ended INTEGER NOT NULL, cancelled INTEGER NOT NULL);
INSERT INTO batches VALUES ('batch', '', 'key', 1.0, 1, 1, 0);
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
    assert store.batch("batch") is not None
    store.add([Row(id="new", kind="judgement", owner="", request="{}", problem="P1001", language="cpp17")])
    assert store.parties() == [""]
    assert [row.id for row in store.claim("", 9, 60)] == ["old", "new"]
    store.close()
    with sqlite3.connect(path) as db:
        indexes = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    assert {"work_by_problem", "work_over_time"} <= indexes


def full() -> Judgement:
    """One in which every field says something."""
    sample = replace(SAYING, name="sample/1", group="sample", verdict=Verdict.WA, score=0.5, stdout="\u4f60\0\ufffd")
    no_text = replace(SAYING, name="secret/\udcff")  # a file's name that is no UTF-8
    return Judgement(
        id="mine",
        problem="p",
        language="c17",
        verdict=Verdict.WA,
        accepted=False,
        score=0.25,
        raw_score=7.5,
        objective=ObjectiveReport(direction="max", normaliser="ratio", best=30.0, baseline=0.0),
        efficiency=1.5,
        complete=False,
        compile=CompileResult(verdict="ok", output="a warning", cpu_ns=1, wall_ns=2, cached=True),
        tests=(sample, SAYING, no_text),
        isolation=IsolationReport(backend="native", tier="full", layers=("cgroup",), missing=("x",)),
        cpu_ns=12_345_678,
        wall_ns=23_456_789,
        memory_bytes=1_234_567,
        freopen_neutralised=1,
        dropped=(DroppedTest(name="secret/9", reason="what it says"),),
        error="what went wrong",
        cached=True,
    )


def test_what_everybody_may_see_is_made_of_what_is_stored() -> None:
    judgement = full()
    unset = {each.name for each in fields(Judgement) if getattr(judgement, each.name) == each.default}
    assert unset == {"schema"}
    for samples in ({"sample/1"}, {"sample/1", SAYING.name}, set[str]()):
        wanted = public(judgement, samples).to_json()
        assert public_text("judgement", judgement.to_json(), encode_names(samples)) == wanted
    assert public_text("judgement", judgement.to_json(), None) == public(judgement, ()).to_json()
    assert public_text("judgement", judgement.to_json(), WHOLE) == judgement.to_json()
    execution = Execution(language="c17").to_json()
    assert public_text("execution", execution, None) == execution


def fill(store: Store) -> None:
    """Two rows of no batch, of which one has ended; a batch that has ended, and one that has not; two keys."""
    result = {"result": "{}", "samples": WHOLE, "verdict": "AC"}

    def row(id_: str, **more: Any) -> Row:
        return Row(id=id_, kind="judgement", owner="me", request="{}", **more)

    store.add([row("done", **result)], Once(key="old", asked="x"))
    store.add([row("waits")])
    for name, last in (("whole", result), ("half", {})):
        batch = store.make_batch("me", Once(key=name, asked="x"))
        store.append(batch, 0, [row(f"{name}{n}", **result) for n in range(1200)] + [row(f"{name} last", **last)])


def left(store: Store) -> dict[str, int]:
    with store.reading() as db:
        found = [id_.rstrip("0123456789") for id_ in db.scalars(sql.select(WORK.c.id))]
    return dict(Counter(found))


@pytest.mark.parametrize("where", ["sqlite", "postgres"])
def test_what_ended_long_ago_is_removed(where: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    store = Store(tmp_path / "x.sqlite" if where == "sqlite" else request.getfixturevalue("postgres"))
    fill(store)
    assert not sweep.step(store, time.time() - 60), "nothing is so old"
    whole, half = (store.find_answer("me", Once(key=key, asked="x")) for key in ("whole", "half"))
    assert whole is not None
    assert half is not None
    steps, later = 1, time.time() + 60
    assert sweep.step(store, later)
    assert store.batch(whole[0]) is None, "nobody finds a part of it"
    assert store.append(whole[0], 1201, []) is None
    while sweep.step(store, later):
        steps += 1
    assert steps >= 3, "many rows are many steps"
    assert left(store) == {"waits": 1, "half": 1200, "half last": 1}
    batch = store.batch(half[0])
    assert batch is not None
    assert (batch.rows, batch.ended) == (1201, 1200)
    assert store.find_answer("me", Once(key="old", asked="other")) is None, "the key is new again"
    store.close()


def test_a_server_removes_what_it_need_not_keep(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    first = serve()
    sent = {"source": "int main() {}", "problem": "P1001", "options": {"stop": "first_failure"}}
    where = first.client.post("/v1/judgements?wait=60", json=sent).headers["location"]
    batch = first.client.post("/v1/batches", content=lines(2)).headers["location"]
    first.client.get(f"{batch}/results?follow=true")
    first.stop()
    kept = serve()
    assert [kept.client.get(at).status_code for at in (where, batch)] == [200, 200]
    kept.stop()
    monkeypatch.setenv("JUDGE_SERVE_KEEP_DAYS", "0.00001")
    swept = serve()
    while swept.client.get(where).status_code == 200 or swept.client.get(batch).status_code == 200:
        time.sleep(0.1)
    assert "Traceback" not in swept.said
