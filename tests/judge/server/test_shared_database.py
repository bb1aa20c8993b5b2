"""Two servers on one PostgreSQL, a real one that the tests start."""

from __future__ import annotations

import json
import os
import pwd
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judge.server.conftest import START_S, Serve, Server
from tests.judge.server.test_batches import expected, lines, verdicts
from tests.judge.server.test_v1 import ADD

CLAIM = ("JUDGE_SERVE_CLAIM_SECONDS", "2")


def tool(name: str) -> str:
    places = [os.environ["PATH"], *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))]
    found = shutil.which(name, path=os.pathsep.join(places))
    if found is None:
        missing = f"no {name}: apt-get install postgresql"
        if os.environ.get("JUDGE_REQUIRE"):
            pytest.fail(missing)
        pytest.skip(missing)
    return found


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """The address of a database of its own. As root, PostgreSQL refuses to run: then it runs as the user `postgres`."""
    run, serve = tool("initdb"), tool("postgres")
    user = "postgres" if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="judge-pg-") as directory:
        if user is not None:
            os.chown(directory, pwd.getpwnam(user).pw_uid, -1)
        data = f"{directory}/data"
        create = (run, "-D", data, "-U", "judge", "-A", "trust", "-E", "UTF8", "--no-sync")
        subprocess.run(create, check=True, user=user, stdout=subprocess.DEVNULL, cwd=directory)
        # Its processes hear of its end by their parent's.
        server = subprocess.Popen(
            (serve, "-D", data, "-k", directory, "-h", "", "-c", "fsync=off"),
            user=user,
            cwd=directory,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + START_S
        while not Path(directory, ".s.PGSQL.5432").exists():
            assert server.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        yield f"postgresql://judge@/postgres?host={directory}"
        server.send_signal(signal.SIGINT)
        server.wait(60)


@pytest.fixture
def pair(serve: Serve, postgres: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Server, Server]:
    monkeypatch.setenv(*CLAIM)
    how = ("--database", postgres, "--slots", "1")
    return serve(*how), serve(*how)


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


def test_both_judge_the_rows_of_a_batch(pair: tuple[Server, Server], postgres: str) -> None:
    one, other = pair
    where = one.client.post("/v1/batches?stop=first_failure", content=lines(200)).headers["location"]
    assert verdicts(other.client.get(f"{where}/results?follow=true").text) == expected(200)


def test_what_a_killed_server_had_begun_the_other_judges(
    pair: tuple[Server, Server], serve: Serve, postgres: str
) -> None:
    """Twenty times: whatever was accepted has exactly one result, which no later answer contradicts."""
    servers = list(pair)
    dice = random.Random(7)
    count = 400
    where = servers[0].client.post("/v1/batches?stop=first_failure", content=lines(count)).headers["location"]
    singles: list[str] = []
    seen: list[str] = []
    for turn in range(20):
        victim = dice.randrange(2)
        alive = servers[1 - victim].client
        sent = {"source": ADD + f"// single {turn}\n", "problem": "P1001"}
        singles += [each.client.post("/v1/judgements", json=sent).headers["location"] for each in servers]
        time.sleep(dice.random())
        servers[victim].kill()
        seen += alive.get(f"{where}/results", params={"after": len(seen)}).text.splitlines()
        servers[victim] = serve("--database", postgres, "--slots", "1")
    client = servers[0].client
    seen += client.get(f"{where}/results", params={"after": len(seen), "follow": True}, timeout=300).text.splitlines()
    assert len(seen) == count
    assert verdicts("\n".join(seen)) == expected(count)
    assert [json.loads(line)["number"] for line in seen] == list(range(1, count + 1))
    answers = [client.get(each, params={"wait": 60}).json() for each in singles]
    assert {answer["judgement"]["verdict"] for answer in answers} == {"AC"}
    assert [servers[1].client.get(each).json() for each in singles] == answers
