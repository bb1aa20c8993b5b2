"""Bodies that are hostile: huge, slow, many at once, and JSON that is deep or says a thing twice."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import psutil
import pytest
from starlette.types import Message, Receive, Scope, Send

from judge.server.guarding.door import Door
from judge.server.guarding.held import Held, Unread
from judge.server.guarding.keys import Keys, new_key
from judge.server.observing import audit
from judge.server.observing.audit import Call
from judge.server.observing.traces import Traces
from judge.server.queueing.slow import Slow
from judge.server.requests import check_values
from judge.server.settings import Settings
from problems.model import MIB
from tests.judge.server.conftest import Server
from tests.test_imports import ROOT, imported_modules


async def _sizes(_scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the size of the body."""
    size = len((await receive())["body"])
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


async def ask(app: Door, *parts: bytes, key: str | None = None, pause_s: float = 0) -> tuple[int, bytes, int]:
    """Status, answer, and how many parts were taken."""
    left, said = list(parts), []

    async def receive() -> Message:
        await asyncio.sleep(pause_s if left else 3600)  # then it waits for the answer
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(left)}

    async def send(message: Message) -> None:
        said.append(message)

    headers = [] if key is None else [(b"authorization", f"Bearer {key}".encode())]
    await app({"type": "http", "method": "POST", "path": "/", "headers": headers}, receive, send)
    return said[0]["status"], said[1]["body"], len(parts) - len(left)


def bounded(keys: Path | None = None, **settings: float) -> Door:
    known, asked = Keys(keys), Settings(**settings)  # type: ignore[arg-type]
    return Door(_sizes, keys=known, settings=asked, held=Held(known, asked), log=None, traces=Traces())


def test_a_body_is_given_whole() -> None:
    assert asyncio.run(ask(bounded(), b"ab", b"", b"c")) == (200, b"3", 3)


def test_what_is_too_large_is_heard_out_but_not_for_ever() -> None:
    app = bounded(most_body=1024)
    status, said, taken = asyncio.run(ask(app, *[b"x" * 1000] * 3))
    assert (status, taken) == (413, 3)
    assert json.loads(said)["error"] == "a request may have 1024 bytes"
    status, _, taken = asyncio.run(ask(app, *[b"x" * 1000] * 100))
    assert (status, taken) == (413, 5)
    assert app._held.all == 0


def test_without_a_key_a_request_may_not_be_large(tmp_path: Path) -> None:
    key, lines = new_key("one")
    (tmp_path / "keys.toml").write_text(lines)
    app = bounded(tmp_path / "keys.toml")
    large = [b"x" * MIB] * 2
    assert asyncio.run(ask(app, *large, key=key))[0] == 200
    for other in (None, "wrong"):
        status, said, _ = asyncio.run(ask(app, *large, key=other))
        assert status == 413
        assert b"without a key" in said


def test_a_slow_sender_ends() -> None:
    app = bounded(body_seconds=0.2)
    assert asyncio.run(ask(app, *[b"x"] * 1000, pause_s=0.01))[0] == 408
    assert app._held.all == 0


def test_many_at_once_are_no_more_than_the_memory_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judge.server.guarding.held._AT_ONCE_BYTES", 0)
    app = bounded(most_body=1024)  # 8 of them

    async def all_at_once() -> list[int]:
        gate = asyncio.Event()

        async def waits(scope: Scope, receive: Receive, send: Send) -> None:
            await gate.wait()
            await _sizes(scope, receive, send)

        monkeypatch.setattr(app, "_app", waits)
        asked = [asyncio.create_task(ask(app, b"x" * 512, b"x" * 512)) for _ in range(10)]
        await asyncio.sleep(0.2)
        gate.set()
        return [answer[0] for answer in await asyncio.gather(*asked)]

    answers = asyncio.run(all_at_once())
    assert answers.count(200) == 8
    assert answers.count(503) == 2
    assert asyncio.run(ask(app, b"x"))[0] == 200


def test_who_sends_little_is_served_beside_one_that_fills_the_memory() -> None:
    held = Held(Keys(None), Settings())
    held.add("one", 1000 * MIB)
    assert held.is_too_much("one")
    held.add("other", 64 * MIB)
    assert held.is_too_much("one")
    assert not held.is_too_much("other")
    held.add("other", 300 * MIB)
    assert held.is_too_much("other"), "each has its share"
    held.add("one", -1000 * MIB)
    assert not held.is_too_much("other")
    held.add("other", -364 * MIB)
    assert held.all == 0


def test_what_nobody_reads_is_no_more_than_the_memory_for_it() -> None:
    async def flood() -> tuple[int, list[str]]:
        held, stopped = Held(Keys(None), Settings()), []
        unread = Unread[bytes](held, {"type": "websocket", "headers": []}, lambda: stopped.append("stopped"))

        async def read(content: bytes) -> None:
            await asyncio.sleep(60)

        passing = asyncio.create_task(unread.pass_on(read))
        for _ in range(512):
            unread.put(bytes(0), MIB)
        assert not stopped
        unread.put(bytes(0), MIB)
        await asyncio.sleep(0)
        passing.cancel()
        with suppress(asyncio.CancelledError):
            await passing
        return held.all, stopped

    assert asyncio.run(flood()) == (0, ["stopped"])


def test_a_body_with_millions_of_values_is_refused_before_it_is_read() -> None:
    check_values(b"[" + b'{"source": "[{,\\"[{,"},' * 200_000 + b"0]")
    check_values('"' + "{}," * 10_000_000 + '"')
    for many in (b"[" + b"{}," * 600_000, b'["' + b'","' * 600_000, '"\\"' + "[" * 1_100_000, '"","a' * 600_000):
        with pytest.raises(ValueError, match="may have 1000000"):
            check_values(many)


def test_a_row_too_many_is_not_looked_at(server: Server) -> None:
    """Each would be told with each field that it lacks: memory for gigabytes, and minutes in which nobody is served."""
    answer = post(server, b"[" + b"{}," * 300_000 + b"{}]", "/v1/judgements/many")
    assert answer.status_code == 422
    assert "at most 10000" in answer.json()["error"]
    answer = post(server, b"[" + b"{}," * 3_000_000 + b"{}]", "/v1/judgements/many")
    assert answer.status_code == 413
    for between in (b"", b"\r"):  # which is white space in JSON, and ends no row
        row = b'{"id": [' + (b"{}," + between) * 600_000 + b"{}]}"
        answer = post(server, row, "/v1/batches")
        assert answer.status_code == 422
        assert "line 1: JSON may have 1000000" in answer.json()["error"]


def test_long_work_of_one_party_takes_one_thread() -> None:
    async def work() -> list[str]:
        slow, let_go, said = Slow(), threading.Event(), []

        def take(name: str) -> None:
            said.append(name)
            let_go.wait()

        def ask(party: str) -> asyncio.Task[None]:
            audit.CALL.set(Call(party=party))
            return asyncio.create_task(slow.run(lambda: take(party)))

        many = [ask("many") for _ in range(20)]
        await asyncio.sleep(0.1)
        for each in many[:10]:
            each.cancel()  # also the one that has begun: it keeps its place
        many += [ask("other")]
        await asyncio.sleep(0.1)
        begun = list(said)
        let_go.set()
        await asyncio.gather(*many, return_exceptions=True)
        return [*begun, *said[len(begun) :]]

    assert asyncio.run(work()) == ["many", "other", *["many"] * 10]


def post(server: Server, content: bytes | Iterator[bytes], path: str = "/v1/executions") -> httpx.Response:
    return server.client.post(path, content=content, headers={"content-type": "application/json"})


@pytest.mark.parametrize(
    "path",
    [
        "/v1/judgements",
        "/v1/judgements/many",
        "/v1/executions",
        "/v1/batches",
        "/api/v2/execute",
        "/run_code",
        "/submissions",
        "/judge",
    ],
)
@pytest.mark.parametrize("deep", [b"[" * 500_000, b'{"source":' * 200_000, b'{"files": ' + b"[" * 100_000])
def test_what_is_deep_is_refused_wherever_it_is_sent(server: Server, path: str, deep: bytes) -> None:
    answer = post(server, deep, path)
    assert 400 <= answer.status_code < 500, answer.text
    assert "Traceback" not in server.said


def test_of_a_name_that_is_said_twice_the_last_holds(server: Server) -> None:
    """As everywhere in Python: what is looked at is what is run."""
    twice = b'{"source": "print(1)", "language": "python3", "source": "print(2)"}'
    assert post(server, twice, "/v1/executions?wait=60").json()["execution"]["stdout"] == "2\n"


@pytest.mark.parametrize("number", [b"1e999", b"NaN", b"-Infinity", b"1" + b"0" * 5000, b'"' + b"9" * 5000 + b'"'])
def test_numbers_that_are_none(server: Server, number: bytes) -> None:
    answer = post(server, b'{"source": "", "cpu_ns": ' + number + b"}")
    assert answer.status_code in (400, 422), answer.text


def test_a_body_that_is_said_to_be_longer_than_it_is(server: Server) -> None:
    host, port = server.client.base_url.host, server.client.base_url.port
    with socket.create_connection((host, port or 80)) as one:
        one.sendall(b"POST /v1/executions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000000\r\n\r\n{")
        time.sleep(0.1)
    with socket.create_connection((host, port or 80)) as one, suppress(OSError):
        one.sendall(b"POST /v1/executions HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n{")
        assert b"500" not in one.recv(100)
    assert server.client.get("/healthz").status_code == 200


def test_the_server_follows_no_redirect() -> None:
    """It makes no requests but callbacks, by `http.client`, which follows none. (Traces are sent by a library, to where
    the server's environment says.)"""
    clients = {"aiohttp", "httpx", "requests", "urllib.request", "urllib3"}
    modules = list((ROOT / "judge" / "server").rglob("*.py"))
    assert len(modules) > 20
    assert not [path for path in modules if clients & set(imported_modules(path))]
    callers = [path.name for path in modules if "http.client" in imported_modules(path)]
    assert callers == ["callbacks.py"]


def test_half_a_gigabyte_is_refused_and_takes_no_memory(server: Server) -> None:
    block, count = b'{"source": ' + b" " * (4 * MIB - 11), 128
    process = psutil.Process(server.process.pid)
    largest = before = process.memory_info().rss

    def body() -> Iterator[bytes]:
        nonlocal largest
        for _ in range(count):
            largest = max(largest, process.memory_info().rss)
            yield block

    answer = server.client.post("/v1/batches", content=body())
    assert answer.status_code == 413
    assert "may have 67108864 bytes" in answer.json()["error"]
    assert largest - before < 160 * MIB
    assert server.client.get("/healthz").status_code == 200
