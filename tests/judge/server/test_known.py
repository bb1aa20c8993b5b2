"""Verdicts that are known: they are stored with the row that asks for them, and shown as any other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sql

from judge import Judge, Judgement, Verdict
from judge.common.models import with_id
from judge.server.guarding.keys import Limits, new_key
from judge.server.problem_facts import ProblemFacts
from judge.server.requests import JudgementRequest
from judge.server.storing import new as making
from judge.server.storing.new import KnownJudgements, New, make_rows
from judge.server.storing.packages import Packages
from judge.server.storing.shown import WHOLE
from judge.server.storing.store import Row, Store
from judge.server.storing.tables import PACKAGES
from problems.errors import UnknownProblem
from tests.judge.server.conftest import Server
from tests.judge.server.test_batches import lines

#: It prints what it reads: in a hidden test, its input.
TELLS = "import sys\nsys.stdout.write(sys.stdin.read())\n"
KNOWN = {"stop": "first_failure", "verdict_cache": True}


def results(server: Server, made: httpx.Response, **how: Any) -> list[dict[str, Any]]:
    text = server.client.get(f"{made.headers['location']}/results?follow=true", **how).text
    found = [json.loads(line)["judgement"] for line in text.splitlines()]
    return sorted(found, key=lambda judgement: str(judgement["id"]))


def test_a_batch_that_is_known_has_ended_when_it_is_accepted(server: Server) -> None:
    first, again = (
        results(server, server.client.post("/v1/batches", params=KNOWN, content=lines(6))) for _ in range(2)
    )
    made = server.client.post("/v1/batches", params=KNOWN, content=lines(6) + lines(1, first=99))
    assert made.json()["ended"] >= 6
    known = results(server, made)
    assert [judgement["id"] for judgement in known] == ["r0", "r1", "r2", "r3", "r4", "r5", "r99"]
    assert known[:6] == again
    assert [judgement | {"cached": True} for judgement in first] == again
    state = server.client.get(made.headers["location"]).json()
    assert (state["ended"], state["waiting"]) == (7, 0)


def test_one_that_is_known_is_answered_at_once(server: Server) -> None:
    sent = {"source": TELLS, "language": "python3", "problem": "P1001", "options": KNOWN, "id": '"id": null é'}
    key = {"Idempotency-Key": "known"}
    assert server.client.post("/v1/judgements?wait=60", json=sent).status_code == 200
    first, again = (server.client.post("/v1/judgements", json=sent, headers=key) for _ in range(2))
    assert (first.status_code, first.json()["judgement"]["cached"]) == (200, True)
    assert first.json() == again.json()
    assert first.json()["judgement"]["id"] == sent["id"]


@pytest.fixture(scope="module")
def keyed(
    tmp_path_factory: pytest.TempPathFactory, shared_cache: Path, backend: str
) -> Iterator[tuple[Server, list[str]]]:
    """A server, and three keys: two that may submit, and one that may also read, and have one row waiting."""
    directory = tmp_path_factory.mktemp("keyed")
    made = [new_key(name) for name in ("first", "second", "third")]
    text = "".join(lines for _, lines in made)
    head, _, _ = text.rpartition('roles = ["submit"]')
    (directory / "keys.toml").write_text(f'{head}roles = ["submit", "read"]\nmost_waiting = 1\n')
    server = Server(directory, shared_cache, backend, "--keys", str(directory / "keys.toml"))
    yield server, [key for key, _ in made]
    server.stop()


def test_hidden_tests_stay_hidden_of_what_another_key_may_see(keyed: tuple[Server, list[str]]) -> None:
    server, keys = keyed
    row = json.dumps({"problem": "P1001", "language": "python3", "source": TELLS}).encode()
    seen: dict[str, list[str]] = {}
    for turn in range(2):
        for key, name in zip(reversed(keys), ("read", "submit", "submit, too"), strict=True):
            headers = {"Authorization": f"Bearer {key}"}
            made = server.client.post("/v1/batches", content=row, headers=headers)
            (judgement,) = results(server, made, headers=headers)
            assert turn == 0 or (made.json()["ended"] == 1 and judgement["cached"])
            hidden = [test for test in judgement["tests"] if not test["name"].startswith("sample/")]
            assert hidden
            seen[name] = [test["stdout"] for test in hidden]
    assert any(seen["read"])
    assert not any(seen["submit"] + seen["submit, too"])


def test_what_is_known_does_not_wait(keyed: tuple[Server, list[str]]) -> None:
    """So it does not count as what a key may have waiting."""
    server, keys = keyed
    headers = {"Authorization": f"Bearer {keys[2]}"}
    row = json.dumps({"problem": "P1001", "language": "python3", "source": TELLS}).encode() + b"\n"
    results(server, server.client.post("/v1/batches", content=row, headers=headers), headers=headers)
    made = server.client.post("/v1/batches", content=row * 3, headers=headers)
    assert (made.status_code, made.json()["ended"]) == (201, 3)
    refused = server.client.post("/v1/batches?verdict_cache=false", content=row * 3, headers=headers)
    assert refused.status_code == 413


def test_more_than_may_be_in_memory_is_queued(
    judges: Callable[..., Judge], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = JudgementRequest(source=TELLS, language="python3", problem="P1001", options=KNOWN)  # type: ignore[arg-type]
    judge, store = judges(), Store(tmp_path / "server.sqlite")
    packages = Packages(store, 1)
    judgements = KnownJudgements(judge, packages, ProblemFacts(1000))
    judge.judge(request.submission("P1001"), request.judge_options())
    known = judgements.find(request)
    assert known is not None
    assert judgements.find(request) is known, "it is encoded once"
    monkeypatch.setattr(making, "_MOST_BYTES", known.size + 1)
    made = make_rows([request] * 4, "me", judgements, trace=None)
    assert [row.result is not None for row in made.rows] == [True, True, False, False]
    packages.close()
    store.close()


def test_a_package_whose_verdicts_are_known_is_in_use(tmp_path: Path) -> None:
    """Else it would be the first to make room, and its next row would be refused."""
    store = Store(tmp_path / "server.sqlite")
    row = Row(
        id="1", kind="judgement", owner="", request="{}", problem=f"package:{'0' * 64}", result="{}", samples=WHOLE
    )
    with pytest.raises(UnknownProblem):
        store.add([row], check=partial(New(rows=[row]).check, Limits()))
    store.keep_package("0" * 64, "name", "", b"zip")
    store.add([row], check=partial(New(rows=[row]).check, Limits()))
    with store.reading() as db:
        assert db.scalar(sql.select(PACKAGES.c.used_s)) > 0
    store.close()


def test_an_id_is_put_in_once() -> None:
    judgement = Judgement(
        problem='"id": null', language="c17", verdict=Verdict.IE, accepted=False, score=None, error='"id": null'
    )
    for id_ in (None, "", '"id": null', "\ud800", "\\g<0>\n"):
        found = json.loads(with_id(judgement.to_json(), id_))
        assert found == json.loads(judgement.to_json()) | {"id": id_}
