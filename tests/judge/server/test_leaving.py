"""A client that has left: what waits is dropped, what runs is stopped, on every route. No test looks at the clock: the
programs would run for minutes, and what counts is that nothing is left of them."""

from __future__ import annotations

import json
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from websockets.sync.client import connect

from judge.server.guarding.keys import new_key
from tests.judge.server.conftest import Serve, Server

LOOP = "while True: pass\n"
#: By route: a request whose program runs for minutes.
LONG: dict[str, dict[str, Any]] = {
    "/v1/executions?wait=60": {"source": LOOP, "language": "python3", "cpu_ns": 300_000_000_000},
    "/v1/judgements?wait=60": {
        "source": LOOP, "language": "python3", "problem": "P1001", "options": {"cpu_ns": 300_000_000_000},
    },
    "/compat/sandbox-fusion/run_code": {"code": LOOP, "language": "python", "run_timeout": 300},
    "/compat/sandbox-fusion/run_jupyter": {"cells": [LOOP], "cell_timeout": 300, "total_timeout": 300},
    "/compat/sandbox-fusion/submit": {
        "dataset": "x", "id": 1, "completion": f"```python\n{LOOP}```",
        "config": {
            "language": "python", "run_timeout": 300, "dataset_type": "CommonOJDataset",
            "provided_data": {"id": 1, "content": "", "test": [{"input": {"stdin": ""}, "output": {"stdout": "1"}}]},
        },
    },
    "/compat/piston/api/v2/execute": {
        "language": "python", "version": "*", "files": [{"content": LOOP}], "run_timeout": 300_000,
        "run_cpu_time": 300_000,
    },
    "/compat/judge0/submissions?wait=true": {"source_code": LOOP, "language_id": 71, "cpu_time_limit": 300},
    "/compat/go-judge/run": {
        "cmd": [{
            "args": ["/usr/bin/python3", "-c", LOOP], "env": ["PATH=/usr/bin"], "files": [{"content": ""}],
            "cpuLimit": 300_000_000_000, "clockLimit": 300_000_000_000, "memoryLimit": 1 << 28, "procLimit": 10,
        }],
    },
    "/compat/code-judge/run/batch": {
        "type": "batch", "submissions": [{"type": "python", "solution": f"{LOOP}#{i}"} for i in range(40)],
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path, backend: str) -> Iterator[Server]:
    one = Server(tmp_path_factory.mktemp("leaving"), shared_cache, backend, "--slots", "1")
    yield one
    one.stop()


def gauge(server: Server, name: str) -> int:
    found = re.search(rf"^judge_{name} (\d+)", server.client.get("/metrics").text, re.MULTILINE)
    assert found is not None
    return int(found[1])


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def send(server: Server, path: str, body: dict[str, Any], *headers: str) -> socket.socket:
    """A request whose answer nobody has read."""
    url = server.client.base_url
    content = json.dumps(body).encode()
    head = (f"POST {path} HTTP/1.1", f"Host: {url.host}", "Content-Type: application/json", *headers)
    sending = socket.create_connection((url.host, url.port or 80), 60)
    sending.sendall("\r\n".join((*head, f"Content-Length: {len(content)}", "", "")).encode() + content)
    return sending


def read_to_end(sending: socket.socket) -> bytes:
    with sending, sending.makefile("rb") as answer:
        return answer.read()


def check_that_it_serves(server: Server) -> None:
    """It has a slot for others, and nothing of those who left."""
    ran = server.client.post("/compat/sandbox-fusion/run_code", json={"code": "print(1)", "language": "python"})
    assert ran.json()["run_result"]["stdout"] == "1\n"
    wait_until(lambda: gauge(server, "begun") == gauge(server, "waiting") == 0)


@pytest.mark.parametrize("path", LONG)
def test_what_runs_is_stopped_and_what_waits_is_dropped(server: Server, path: str) -> None:
    first = send(server, path, LONG[path])
    wait_until(lambda: gauge(server, "begun") >= 1)
    others = [send(server, path, LONG[path]) for _ in range(3)]
    time.sleep(0.2)
    for client in (*others, first):
        client.close()
    check_that_it_serves(server)


@pytest.mark.parametrize("waits", [False, True])
def test_a_socket_of_piston_that_is_closed_ends_its_program(server: Server, waits: bool) -> None:
    other = send(server, "/compat/piston/api/v2/execute", LONG["/compat/piston/api/v2/execute"]) if waits else None
    if other is not None:
        wait_until(lambda: gauge(server, "begun") == 1)
    url = f"ws://{server.client.base_url.host}:{server.client.base_url.port}/compat/piston/api/v2/connect"
    asked = LONG["/compat/piston/api/v2/execute"] | {"type": "init"}
    with connect(url) as talk:
        talk.send(json.dumps(asked))
        assert json.loads(talk.recv())["type"] == "runtime"
        wait_until(lambda: gauge(server, "begun") == 1 + waits)
    wait_until(lambda: gauge(server, "begun") == waits)
    if other is not None:
        other.close()
    check_that_it_serves(server)


def test_sockets_of_go_judge_that_are_closed_end_their_programs(server: Server) -> None:
    url = f"ws://{server.client.base_url.host}:{server.client.base_url.port}/compat/go-judge"
    asked = LONG["/compat/go-judge/run"]
    with connect(f"{url}/ws") as one, connect(f"{url}/stream") as other:
        one.send(json.dumps(asked | {"requestId": "1"}))
        other.send(b"\1" + json.dumps(asked | {"requestId": "2"}).encode())
        wait_until(lambda: gauge(server, "begun") == 2)
    check_that_it_serves(server)


def test_what_a_client_can_ask_for_again_is_judged(server: Server) -> None:
    body = {"source": "import time\ntime.sleep(0.5)\nprint(2)", "language": "python3"}
    send(server, "/v1/executions?wait=60", body, "Idempotency-Key: again").close()
    again = server.client.post("/v1/executions?wait=60", json=body, headers={"Idempotency-Key": "again"})
    assert again.json()["execution"]["stdout"] == "2\n"


def test_a_retry_after_leaving_is_a_job_of_its_own(server: Server) -> None:
    """It does not share the end of what is being stopped."""
    body = {"source": "import time\ntime.sleep(1)\nprint(3)", "language": "python3"}
    for _ in range(3):
        first = send(server, "/v1/executions?wait=60", body)
        wait_until(lambda: gauge(server, "begun") >= 1)
        first.close()
    ran = server.client.post("/v1/executions?wait=60", json=body)
    assert ran.json()["execution"]["stdout"] == "3\n"


def test_a_form_whose_sender_has_left_is_kept_whole_or_not_at_all(server: Server) -> None:
    """A visitor finds it in the list of the page, judged; nothing is held for one who does not come back."""
    with httpx.Client(base_url=server.client.base_url) as visitor:
        token = re.search(r'name="csrf" value="(\w+)"', visitor.get("/").text)
        assert token is not None
        cookie = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
        for number in range(20):
            fields = {"csrf": token[1], "language": "python3", "source": f"print({number}, 'left')"}
            body = urlencode(fields).encode()
            url = visitor.base_url
            head = (
                *("POST / HTTP/1.1", f"Host: {url.host}:{url.port}", f"Cookie: {cookie}"),
                *("Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}", "", ""),
            )
            with socket.create_connection((url.host, url.port or 80), 60) as sending:
                sending.sendall("\r\n".join(head).encode() + body)
                if number % 2:
                    sending.recv(1)
        check_that_it_serves(server)
        rows = [visitor.get(where).text for where in re.findall(r'href="(/judgements/[\w-]+)"', visitor.get("/").text)]
    assert len(rows) >= 8, "the page lists the last ones, and those that waited for an answer are among them"
    assert all("left" in row for row in rows)
    assert "Traceback" not in server.said


@contextmanager
def busy(server: Server) -> Iterator[None]:
    """A context in which the only slot is taken, so that all else waits."""
    path = "/compat/piston/api/v2/execute"
    taken = send(server, path, LONG[path])
    wait_until(lambda: gauge(server, "begun") == 1)
    try:
        yield
    finally:
        taken.close()


def test_equal_requests_of_one_sender_are_one_job_while_one_of_them_waits(server: Server) -> None:
    path, body = (
        "/compat/sandbox-fusion/run_code",
        {"code": "import random\nprint(random.random())", "language": "python"},
    )
    with busy(server):
        first, *others = (send(server, path, body, "Connection: close") for _ in range(8))
        wait_until(lambda: gauge(server, "begun") == 2)
        for _ in range(5):
            assert gauge(server, "begun") == 2
        first.close()
    answers = [read_to_end(other) for other in others]
    assert len({json.loads(answer.partition(b"\r\n\r\n")[2])["run_result"]["stdout"] for answer in answers}) == 1
    check_that_it_serves(server)


def test_equal_rows_of_one_sender_are_one_job(server: Server) -> None:
    body = {"source": "import random\nprint(random.random())", "language": "python3"}
    with busy(server):
        where = [server.client.post("/v1/executions", json=body).headers["location"] for _ in range(5)]
        assert len(set(where)) == 5
        wait_until(lambda: gauge(server, "begun") == 6)
        assert server.client.delete(where[2]).json() == {"cancelled": True}
    found = [server.client.get(at, params={"wait": 60}).json()["execution"] for at in where]
    assert [each["verdict"] for each in found] == [None, None, "IE", None, None]
    assert len({each["stdout"] for each in found}) == 2, "the cancelled one has none"


def test_a_batch_that_is_cancelled_holds_no_place(server: Server) -> None:
    """Its rows wait before the Judge already; one of them is the same job as a row of nobody's batch."""
    row = {"problem": "P1001", "language": "python3", "source": "print(5)"}
    rows = [row, *(row | {"source": f"{LOOP}#{number}"} for number in range(20))]
    with busy(server):
        single = server.client.post("/v1/judgements", json=row).headers["location"]
        body = b"".join(json.dumps(one).encode() + b"\n" for one in rows)
        batch = server.client.post("/v1/batches", content=body).headers["location"]
        wait_until(lambda: gauge(server, "begun") == 2 + len(rows))
        assert server.client.delete(batch).json() == {"cancelled": len(rows)}
        assert (gauge(server, "begun"), gauge(server, "waiting")) == (2, 2)
    assert server.client.get(batch).json()["waiting"] == 0
    found = server.client.get(single, params={"wait": 60}).json()["judgement"]
    assert found["verdict"] == "WA"
    check_that_it_serves(server)


def test_two_hundred_that_hang_up_keep_nobody_waiting(server: Server) -> None:
    path, body = "/compat/sandbox-fusion/run_code", LONG["/compat/sandbox-fusion/run_code"]
    for number in range(200):
        send(server, path, body | {"code": f"{LOOP}#{number}"}).close()
    check_that_it_serves(server)
    assert "Traceback" not in server.said


def test_one_that_would_wait_for_longer_than_it_may_run_is_told_so_at_once(serve: Serve) -> None:
    server = serve("--slots", "1")
    path = "/compat/sandbox-fusion/run_code"
    body = {"language": "python", "run_timeout": 1, "compile_timeout": 1}
    slow = [send(server, path, body | {"code": f"import time; time.sleep(2.5)#{i}"}) for i in range(30)]
    # How long they run is known when one has ended; more than enough of them wait still.
    wait_until(lambda: gauge(server, "waiting") >= 10 and "\njudge_ended_total{" in server.client.get("/metrics").text)
    refused = server.client.post(path, json=body | {"code": "print(1)"})
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1
    assert "longer than the 2 s that it may run" in refused.json()["error"]
    patient = server.client.post("/v1/executions", json={"source": "print(1)", "language": "python3"})
    assert patient.status_code == 202, "what is kept is not refused"
    for client in slow:
        client.close()


def test_keys_take_turns(serve: Serve, tmp_path: Path) -> None:
    keys, lines = zip(*(new_key(name) for name in ("many", "few")), strict=True)
    (tmp_path / "keys.toml").write_text("".join(lines))
    server = serve("--slots", "2", "--keys", str(tmp_path / "keys.toml"))
    many, few = ({"Authorization": f"Bearer {key}"} for key in keys)
    loop = {"source": LOOP, "language": "python3", "cpu_ns": 20_000_000_000}
    rows = [loop | {"id": str(number)} for number in range(100)]
    ids = [server.client.post("/v1/executions", json=row, headers=many).json()["id"] for row in rows]
    for number in range(20):
        row = {"source": f"print({number})", "language": "python3"}
        if number % 2:
            ran = server.client.post("/v1/executions?wait=60", json=row, headers=few).json()["execution"]["stdout"]
        else:
            asked = {"code": row["source"], "language": "python"}
            told = server.client.post("/compat/sandbox-fusion/run_code", json=asked, headers=few).json()
            ran = told["run_result"]["stdout"]
        assert ran == f"{number}\n"
    ended = [server.client.get(f"/v1/executions/{id_}", headers=many).status_code == 200 for id_ in ids]
    assert sum(ended) < 50, "the other one's twenty did not wait for its hundred"


def test_a_hundred_that_wait_are_told_when_it_ends(serve: Serve) -> None:
    server = serve("--slots", "1", "--compat", "sandbox-fusion")
    path = "/compat/sandbox-fusion/run_code"
    sent = [(path, LONG[path] | {"code": f"{LOOP}#{i}"}) for i in range(10)]
    sent += [("/v1/executions?wait=60", LONG["/v1/executions?wait=60"] | {"id": str(i)}) for i in range(90)]
    with ThreadPoolExecutor(100) as pool:
        asking = [pool.submit(httpx.post, server.client.base_url.join(at), json=body, timeout=120) for at, body in sent]
        wait_until(lambda: gauge(server, "waiting") == 100)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0, "and not after the 300 s of one of them"
        answers = [asked.result() for asked in asking]
    assert [answer.status_code for answer in answers] == [503] * 10 + [202] * 90, "these are judged at the next start"
    assert {answer.headers["retry-after"] for answer in answers[:10]} == {"5"}
    assert "Traceback" not in server.said
