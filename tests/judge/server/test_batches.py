"""/v1/batches of one server."""

from __future__ import annotations

import contextlib
import json
import random
import sqlite3
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from judge.server.api.batches import parse_rows
from judge.server.requests import OptionsRequest
from tests.judge.server.conftest import Serve, Server
from tests.judge.server.posting import Posting, check
from tests.judge.server.test_v1 import ADD, SLEEPER

WRONG = ADD.replace("a + b", "a - b")


def lines(count: int, *, first: int = 0) -> bytes:
    """Rows of which every third is wrong; no two are alike."""
    sources = [(WRONG if n % 3 == 0 else ADD) + f"// {n}\n" for n in range(first, first + count)]
    rows = [{"id": f"r{first + n}", "problem": "P1001", "source": source} for n, source in enumerate(sources)]
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def posted(number: int) -> dict[str, object]:
    return {"source": f"{ADD}// posted {number % 20}\n", "problem": "P1001", "options": {"stop": "first_failure"}}


def verdicts(text: str) -> dict[str, str]:
    return {row["judgement"]["id"]: row["judgement"]["verdict"] for row in map(json.loads, text.splitlines())}


def expected(count: int) -> dict[str, str]:
    return {f"r{n}": "WA" if n % 3 == 0 else "AC" for n in range(count)}


def test_a_batch_is_followed_while_it_runs(server: Server) -> None:
    made = server.client.post("/v1/batches?stop=first_failure", content=lines(9))
    assert made.status_code == 201, made.text
    where = made.headers["location"]
    assert made.json()["rows"] == 9
    results = server.client.get(f"{where}/results", params={"follow": True}).text
    assert verdicts(results) == expected(9)
    numbers = [json.loads(line)["number"] for line in results.splitlines()]
    assert numbers == list(range(1, 10))
    assert sorted(json.loads(line)["row"] for line in results.splitlines()) == list(range(1, 10))
    after = server.client.get(f"{where}/results", params={"after": 4}).text
    assert after.splitlines() == results.splitlines()[4:]
    state = server.client.get(where).json()
    assert {name: state[name] for name in ("rows", "ended", "cancelled", "waiting")} == {
        "rows": 9, "ended": 9, "cancelled": 0, "waiting": 0,
    }  # fmt: skip
    assert state["verdicts"] == {"AC": 6, "WA": 3}


def test_sending_goes_on_where_it_broke_off(server: Server) -> None:
    where = server.client.post("/v1/batches").headers["location"]
    assert server.client.post(f"{where}/rows?after=0&stop=first_failure", content=lines(3)).json() == {"rows": 3}
    again = server.client.post(f"{where}/rows?after=0", content=lines(6))
    assert again.status_code == 409
    assert again.json()["rows"] == 3
    more = server.client.post(f"{where}/rows?after=3&stop=first_failure", content=lines(3, first=3))
    assert more.json() == {"rows": 6}
    assert verdicts(server.client.get(f"{where}/results?follow=true").text) == expected(6)


def test_a_completion_without_a_program_has_ended_already(server: Server) -> None:
    row = {"id": "none", "problem": "P1001", "completion": "I do not know."}
    made = server.client.post("/v1/batches", content=json.dumps(row).encode())
    assert made.json()["verdicts"] == {"CE": 1}
    (line,) = server.client.get(f"{made.headers['location']}/results?follow=true").text.splitlines()
    assert json.loads(line)["judgement"]["id"] == "none"


def test_rows_keep_their_files_and_answer_for_the_language_of_their_fence(server: Server) -> None:
    main = "from helper import add\nprint(add(*map(int, input().split())))\n"
    rows = [
        {"id": "files", "source": main, "files": {"helper.py": "def add(a, b): return a + b\n"}, "language": "python3"},
        {"id": "fence", "completion": "```cpp\nint main() {}\n```", "problem": "pair-sum"},
        {"id": "stated", "source": "int main() {}", "problem": "pair-sum", "language": "cpp17"},
    ]
    body = "\n".join(json.dumps({"problem": "P1001"} | row) for row in rows).encode()
    where = server.client.post("/v1/batches", content=body).headers["location"]
    found = verdicts(server.client.get(f"{where}/results?follow=true").text)
    assert found == {"files": "AC", "fence": "CE", "stated": "IE"}
    many = {"problem": "P1001", "source": main, "files": {f"f{n}.py": "" for n in range(33)}, "language": "python3"}
    answer = server.client.post("/v1/batches", content=json.dumps(many).encode())
    assert (answer.status_code, "33 files" in answer.json()["error"]) == (422, True)


def test_a_batch_with_an_idempotency_key_is_made_once(server: Server) -> None:
    key = {"Idempotency-Key": f"batch {time.monotonic_ns()}"}
    first = server.client.post("/v1/batches", content=lines(2), headers=key).json()
    again = server.client.post("/v1/batches", content=lines(2), headers=key).json()
    assert (again["id"], again["rows"]) == (first["id"], 2)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "line 1: no JSON"),
        (lines(1) + b"[]\n", "line 2: a JSON object is needed"),
        (lines(1) + lines(1), "line 2: id 'r0' is on line 1 already"),
        (b'{"problem": "P1001", "code": "x"}', "did you mean 'source'?"),
        (b'{"problem": "nowhere", "source": "x"}', "nowhere"),
        (b'{"problem": "/etc", "source": "x"}', "/etc"),
        (b'{"problem": "P1001", "source": "x", "language": "klingon"}', "klingon"),
    ],
)
def test_wrong_rows_are_named_and_nothing_is_accepted(server: Server, body: bytes, said: str) -> None:
    answer = server.client.post("/v1/batches", content=body)
    assert answer.status_code == 422
    assert said in answer.json()["error"]


def test_a_batch_that_is_not_there(server: Server) -> None:
    assert server.client.get("/v1/batches/none").status_code == 404
    assert server.client.get("/v1/batches/none/results").status_code == 404
    assert server.client.post("/v1/batches/none/rows?after=0", content=lines(1)).status_code == 404


def test_too_many_rows(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_SERVE_MOST_ROWS", "3")
    server = serve()
    refused = server.client.post("/v1/batches", content=lines(4))
    assert (refused.status_code, refused.json()["error"]) == (413, "a batch may have 3 rows")
    where = server.client.post("/v1/batches", content=lines(3)).headers["location"]
    assert server.client.post(f"{where}/rows?after=3", content=lines(1)).status_code == 413


def test_no_more_rows_are_read_than_may_be_sent() -> None:
    body = lines(3) + b"wrong\n"
    for most in (0, 1, 3):
        assert parse_rows(body, "cpp17", OptionsRequest(), most) is None, "the wrong line was not looked at"
    found = parse_rows(lines(3), "cpp17", OptionsRequest(), 3)
    assert found is not None
    assert len(found) == 3


def test_what_waits_of_a_batch_can_be_cancelled(serve: Serve) -> None:
    server = serve("--slots", "1")
    rows = [{"problem": "P1001", "language": "python3", "source": f"{SLEEPER}\n# {n}"} for n in range(200)]
    body = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    where = server.client.post("/v1/batches?stop=first_failure", content=body).headers["location"]
    # One of no batch goes before what nobody has begun.
    cancelled = server.client.delete(where).json()["cancelled"]
    assert 0 < cancelled <= 200
    state = server.client.get(where).json()
    assert state["cancelled"] == cancelled
    assert state["waiting"] + state["ended"] == 200 - cancelled


def test_who_waits_for_a_row_hears_that_its_batch_was_cancelled(serve: Serve) -> None:
    server = serve("--slots", "1")
    rows = [{"problem": "P1001", "language": "python3", "source": f"{SLEEPER}# {n}"} for n in range(200)]
    body = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    batch = server.client.post("/v1/batches?stop=first_failure", content=body).headers["location"]
    with contextlib.closing(sqlite3.connect(server.database)) as db:
        ((id_,),) = db.execute("SELECT id FROM work ORDER BY number DESC LIMIT 1").fetchall()
    where, told = f"/v1/judgements/{id_}", dict[str, str]()

    def ask(path: str) -> None:
        client = httpx.Client(base_url=server.client.base_url, timeout=60)
        with client, client.stream("GET", path) as answer:
            for text in answer.iter_text():
                told[path] = told.get(path, "") + text

    paths = (f"{where}?wait=50", f"{where}/events", f"/judgements/{id_}/events")
    threads = [threading.Thread(target=ask, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    while not told.keys() >= set(paths[1:]):  # they have begun; who waits is told the same whenever it asks
        time.sleep(0.01)
    began = time.monotonic()
    assert server.client.delete(batch).json()["cancelled"]
    for thread in threads:
        thread.join()
    assert time.monotonic() - began < 10
    waited, stream, page = (told[path] for path in paths)
    assert json.loads(waited) == {"error": "no such id"}
    assert [line for line in stream.splitlines() if line.startswith("event")] == [
        "event: accepted",
        "event: cancelled",
    ]
    assert "event: done" in page
    assert "Traceback" not in server.said


def test_a_batch_survives_kill_9(serve: Serve, tmp_path: Path) -> None:
    """Its rows have one result each, and who follows it goes on after the number that he has."""
    database = ("--database", str(tmp_path / "kept.sqlite"), "--slots", "2")
    server = serve(*database)
    where = server.client.post("/v1/batches?stop=first_failure", content=lines(24)).headers["location"]
    seen: list[str] = []
    for _ in range(3):
        threading.Event().wait(1)
        seen += server.client.get(f"{where}/results", params={"after": len(seen)}).text.splitlines()
        server.kill()
        server = serve(*database)
    seen += server.client.get(f"{where}/results", params={"after": len(seen), "follow": True}).text.splitlines()
    assert len(seen) == 24
    assert verdicts("\n".join(seen)) == expected(24)
    # The last server may have judged nothing; what it is asked now it knows afterwards.
    asked = server.client.post("/v1/batches?stop=first_failure", content=lines(24)).headers["location"]
    assert verdicts(server.client.get(f"{asked}/results?follow=true").text) == expected(24)
    made = server.client.post("/v1/batches?stop=first_failure", content=lines(24))
    server.kill()
    assert made.json()["verdicts"] == {"AC": 16, "WA": 8}, "what is known has ended when it is accepted"
    known = serve(*database).client.get(f"{made.headers['location']}/results?follow=true").text
    assert verdicts(known) == expected(24)


@pytest.mark.parametrize("kills", [1, pytest.param(100, marks=pytest.mark.long)])
def test_a_hundred_kills(serve: Serve, tmp_path: Path, kills: int) -> None:
    """Under load, at any moment, also while requests are answered: what was accepted has one result, known before or
    not, and what was told is not told otherwise later."""
    database = ("--database", str(tmp_path / "kept.sqlite"), "--slots", "2")
    dice = random.Random(1)
    server = serve(*database)
    where = server.client.post("/v1/batches?stop=first_failure", content=lines(9 * kills)).headers["location"]
    posting = Posting(posted)
    owed: list[str] = []
    known: list[str] = []
    seen: list[str] = []
    for turn in range(kills):
        posting.to(server)
        with suppress(httpx.HTTPError):
            made = server.client.post("/v1/batches?stop=first_failure", content=lines(6))
            assert made.status_code == 201, server.said
            known.append(made.headers["location"])
            for number in range(3):
                sent = {
                    "source": f"{ADD}// {turn} {number}\n",
                    "problem": "P1001",
                    "options": {"stop": "first_failure"},
                }
                owed.append(server.client.post("/v1/judgements", json=sent).headers["location"])
        seen += server.client.get(f"{where}/results", params={"after": len(seen)}).text.splitlines()
        time.sleep(dice.random() * 1.5)
        posting.kill_unanswered(server)
        server = serve(*database)
    posting.to(server)
    posting.end()
    rest = {"after": len(seen), "follow": True}
    seen += server.client.get(f"{where}/results", params=rest, timeout=600).text.splitlines()
    assert verdicts("\n".join(seen)) == expected(9 * kills)
    assert [json.loads(line)["number"] for line in seen] == list(range(1, 9 * kills + 1))
    answers = [server.client.get(each, params={"wait": 60}).json() for each in owed]
    assert len(answers) == 3 * kills
    assert {answer["judgement"]["verdict"] for answer in answers} == {"AC"}
    assert [server.client.get(each).json() for each in owed] == answers
    assert len(known) == kills
    for each in known:
        text = server.client.get(f"{each}/results?follow=true").text
        assert (len(text.splitlines()), verdicts(text)) == (6, expected(6))
    with contextlib.closing(sqlite3.connect(tmp_path / "kept.sqlite")) as db:
        check(posting, server.client, db.execute("SELECT request FROM work"))


def test_a_second_server_on_one_file_is_refused(serve: Serve, tmp_path: Path) -> None:
    database = ("--database", str(tmp_path / "one.sqlite"))
    serve(*database)
    with pytest.raises(AssertionError, match="another server uses it"):
        serve(*database)
