"""Two servers on one PostgreSQL."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judge.server.conftest import Serve, Server
from tests.judge.server.posting import Posting, check
from tests.judge.server.test_batches import expected, lines, posted, verdicts
from tests.judge.server.test_v1 import ADD

CLAIM = ("JUDGE_SERVE_CLAIM_SECONDS", "2")


@pytest.fixture
def pair(serve: Serve, postgres: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Server, Server]:
    monkeypatch.setenv(*CLAIM)
    how = ("--database", postgres, "--slots", "1")
    return serve(*how), serve(*how)


@pytest.fixture(scope="module")
def shared(
    tmp_path_factory: pytest.TempPathFactory, shared_cache: Path, backend: str, postgres: str
) -> Iterator[Server]:
    """One server for all tests that do not end it."""
    one = Server(tmp_path_factory.mktemp("shared"), shared_cache, backend, "--database", postgres)
    yield one
    one.stop()


def test_what_one_accepts_the_other_tells(pair: tuple[Server, Server]) -> None:
    one, other = pair
    where = one.client.post("/v1/judgements", json={"source": ADD, "problem": "P1001"}).headers["location"]
    assert other.client.get(where, params={"wait": 60}).json()["judgement"]["verdict"] == "AC"
    key = {"Idempotency-Key": f"one {time.monotonic_ns()}"}
    sent = {"source": ADD, "problem": "P1001"}
    ids = {each.client.post("/v1/judgements?wait=60", json=sent, headers=key).json()["id"] for each in pair}
    assert len(ids) == 1
    batches = {each.client.post("/v1/batches").json()["id"] for each in pair}
    assert len(batches) == 2, "without a key each is new"


def test_both_judge_the_rows_of_a_batch(pair: tuple[Server, Server]) -> None:
    one, other = pair
    where = one.client.post("/v1/batches?stop=first_failure", content=lines(60)).headers["location"]
    assert verdicts(other.client.get(f"{where}/results?follow=true").text) == expected(60)
    known = other.client.post("/v1/batches?stop=first_failure", content=lines(60))
    assert verdicts(one.client.get(f"{known.headers['location']}/results?follow=true").text) == expected(60)
    id_ = where.rsplit("/", 1)[1]
    for path, said in {
        "/": "P1001",
        "/judgements?verdict=WA&problem=P1001&language=cpp17&since=hour": "WA",
        f"/batches/{id_}?verdict=AC": "r59",
        "/batches": id_,
        "/machine": "judge",
        "/metrics": "judge_waiting_rows 0.0",
        "/compat/judge0/submissions": "submissions",
        "/compat/judge0/statistics": "total",
    }.items():
        answer = other.client.get(path)
        assert (answer.status_code, said in answer.text) == (200, True), path


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/judgements/%00", 422),
        ("/v1/batches/a%00b", 422),
        ("/v1/judgements/%ff%ed%a0%80", 404),
        ("/judgements/%00", 422),
        ("/judgements?problem=%00", 200),
        (f"/judgements?before={2**62}&after={2**62}", 200),
        ("/batches?before=nan", 200),
        ("/batches?before=-inf", 200),
        ("/compat/judge0/submissions?page=1000000&per_page=100", 200),
    ],
)
def test_what_a_database_cannot_hold_is_no_failure_of_it(shared: Server, path: str, status: int) -> None:
    answer = shared.client.get(path)
    assert answer.status_code == status, answer.text


@pytest.mark.parametrize("kills", [1, pytest.param(20, marks=pytest.mark.long)])
def test_what_a_killed_server_had_begun_the_other_judges(
    pair: tuple[Server, Server], serve: Serve, postgres: str, kills: int
) -> None:
    """Whatever was accepted, one by one, in a batch, or known already, has exactly one result, which no later answer
    contradicts."""
    import psycopg

    servers = list(pair)
    dice = random.Random(kills)
    count, known = 20 * kills, 6
    how = {"stop": "first_failure"}
    servers[1].client.get(
        servers[0].client.post("/v1/batches", params=how, content=lines(known)).headers["location"]
        + "/results?follow=1"
    )
    where = servers[0].client.post("/v1/batches", params=how, content=lines(count)).headers["location"]
    singles: list[str] = []
    batches: list[str] = []
    seen: list[str] = []
    posting = Posting(posted)
    for turn in range(kills):
        victim = dice.randrange(2)
        posting.to(servers[victim])
        alive = servers[1 - victim].client
        sent = {"source": ADD + f"// single {kills} {turn}\n", "problem": "P1001"}
        for each in servers:
            singles.append(each.client.post("/v1/judgements", json=sent).headers["location"])
            batches.append(each.client.post("/v1/batches", params=how, content=lines(known)).headers["location"])
        time.sleep(dice.random())
        posting.kill_unanswered(servers[victim])
        seen += alive.get(f"{where}/results", params={"after": len(seen)}).text.splitlines()
        posting.to(servers[1 - victim])
        servers[victim] = serve("--database", postgres, "--slots", "1")
    posting.end()
    client = servers[0].client
    seen += client.get(f"{where}/results", params={"after": len(seen), "follow": True}, timeout=300).text.splitlines()
    assert len(seen) == count
    assert verdicts("\n".join(seen)) == expected(count)
    assert [json.loads(line)["number"] for line in seen] == list(range(1, count + 1))
    answers = [client.get(each, params={"wait": 60}).json() for each in singles]
    assert {answer["judgement"]["verdict"] for answer in answers} == {"AC"}
    assert [servers[1].client.get(each).json() for each in singles] == answers
    for each in batches:
        text = client.get(f"{each}/results?follow=true").text
        assert len(text.splitlines()) == known
        assert verdicts(text) == expected(known)
    with psycopg.connect(postgres) as db:
        check(posting, servers[1].client, db.execute("SELECT request FROM work"))
