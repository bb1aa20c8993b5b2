"""SIGTERM: what has begun ends, what waits is given back, and the exit code is 0."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.judge.server.conftest import Serve, Server
from tests.judge.server.test_leaving import wait_until

SLOW = {"source": "import time\ntime.sleep(1.5)\nprint(1)", "language": "python3"}
#: Equal rows would be one job.
SLOWS = [{**SLOW, "source": f"{SLOW['source']}  # {number}"} for number in range(4)]


def begun(server: Server) -> None:
    """Waits until one has begun."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if "judge_begun 0" not in server.client.get("/metrics").text:
            time.sleep(0.5)
            return
        time.sleep(0.05)
    raise AssertionError("nothing has begun")


def ticks(pid: int) -> int:
    """Processor time of a process, also of one that has ended and was not waited for, without its children's."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return int(user) + int(system)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_SERVE_DRAIN_SECONDS", "20")


@pytest.mark.usefixtures("patient")
def test_what_has_begun_ends_and_what_waits_is_kept(serve: Serve, tmp_path: Path) -> None:
    database = ("--database", str(tmp_path / "kept.sqlite"), "--slots", "1")
    server = serve(*database)
    body = {**SLOW, "source": SLOW["source"].replace("1.5", "4")}
    first = server.client.post("/v1/executions", json=body).headers["location"]
    others = [server.client.post("/v1/executions", json=slow).headers["location"] for slow in SLOWS[:2]]
    begun(server)
    answers: list[httpx.Response] = []
    asking = [
        threading.Thread(target=lambda at=at: answers.append(httpx.get(at, params={"wait": 60}, timeout=60)))  # type: ignore[misc]
        for at in (server.client.base_url.join(where) for where in (first, others[1]))
    ]
    for thread in asking:
        thread.start()
    time.sleep(0.5)
    server.process.send_signal(signal.SIGTERM)
    wait_until(lambda: server.client.get("/readyz").status_code == 503)
    refused = server.client.post("/v1/executions", json=SLOW)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
    for thread in asking:
        thread.join()
    assert server.process.wait(60) == 0
    assert {answer.status_code for answer in answers} == {200, 202}, "who waits is answered in either case"
    server = serve(*database)
    done = server.client.get(first).json()
    assert done["execution"]["stdout"] == "1\n", "it has ended before the stop"
    results = [server.client.get(where, params={"wait": 60}).json()["execution"] for where in others]
    assert [(result["verdict"], result["stdout"]) for result in results] == [(None, "1\n")] * 2


@pytest.mark.usefixtures("patient")
def test_what_comes_after_the_signal_is_refused_on_every_route(serve: Serve) -> None:
    server = serve("--slots", "1")
    server.client.post("/v1/executions", json={**SLOW, "source": SLOW["source"].replace("1.5", "6")})
    begun(server)
    server.process.send_signal(signal.SIGTERM)
    wait_until(lambda: server.client.get("/readyz").status_code == 503)
    bodies: dict[str, dict[str, object]] = {
        "sandbox-fusion/run_code": {"code": "print(1)", "language": "python"},
        "piston/api/v2/execute": {"language": "python", "version": "*", "files": [{"content": "print(1)"}]},
        "go-judge/run": {"cmd": [{"args": ["/bin/true"], "cpuLimit": 10**9, "memoryLimit": 1 << 28, "procLimit": 1}]},
        "code-judge/run": {"type": "python", "solution": "print(1)"},
        "judge0/submissions?wait=true": {"source_code": "print(1)", "language_id": 71},
        "open-instruct/test_program": {"program": "def f(x): return x", "tests": ["assert f(1) == 1"]},
    }
    answers = {path: server.client.post(f"/compat/{path}", json=body) for path, body in bodies.items()}
    assert {path: answer.status_code for path, answer in answers.items()} == dict.fromkeys(bodies, 503)
    assert {answer.headers["retry-after"] for answer in answers.values()} == {"5"}
    assert server.process.wait(60) == 0
    assert "Traceback" not in server.said


@pytest.mark.usefixtures("patient")
def test_who_waits_for_what_is_given_back_is_told_so(serve: Serve, tmp_path: Path) -> None:
    """Judge0's clients that wait get the submission as it is, and find it at the next start; streams of events end."""
    database = ("--database", str(tmp_path / "kept.sqlite"), "--slots", "1", "--compat", "judge0")
    server = serve(*database)
    body = {**SLOW, "source": SLOW["source"].replace("1.5", "8")}
    server.client.post("/v1/executions", json=body)
    begun(server)
    other = server.client.post("/v1/executions", json=SLOW).headers["location"]
    streams = [f"{other}/events", f"/judgements/{other.rsplit('/', 1)[-1]}/events"]
    asked = {"source_code": SLOW["source"], "language_id": 71}
    answers: list[httpx.Response] = []
    begun_streams = threading.Semaphore(0)

    def follow() -> None:
        with server.client.stream("GET", streams.pop()) as answer:
            begun_streams.release()
            answer.read()
        answers.append(answer)

    asking = [threading.Thread(target=lambda: answers.append(server.client.post("/submissions?wait=true", json=asked)))]
    asking += [threading.Thread(target=follow) for _ in range(2)]
    for thread in asking:
        thread.start()
    for _ in range(2):
        begun_streams.acquire()
    while "judge_waiting 3" not in server.client.get("/metrics").text:  # the one that runs, and two
        time.sleep(0.05)
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(60) == 0
    for thread in asking:
        thread.join()
    assert sorted(answer.status_code for answer in answers) == [200, 200, 201]
    assert "Traceback" not in server.said
    found = next(answer.json() for answer in answers if answer.status_code == 201)
    assert found["status"]["description"] == "In Queue"
    server = serve(*database)
    where = f"/submissions/{found['token']}"
    while server.client.get(where).json()["status"]["id"] < 3:
        time.sleep(0.1)
    assert server.client.get(where).json()["stdout"] == "1\n"


def test_a_hundred_that_wait_hold_up_no_end(serve: Serve) -> None:
    """Each is answered. What the server computes until it has ended is small beside what it computed before: as
    processor time, which no neighbour changes."""
    server = serve("--slots", "2", executed=True)
    client = httpx.Client(base_url=server.client.base_url, timeout=300, limits=httpx.Limits(max_connections=101))

    def ask(number: int) -> httpx.Response:
        source = f"while True: pass  # {number}"
        if number % 10 == 0:
            asked = {"code": source, "language": "python", "run_timeout": 300}
            return client.post("/compat/sandbox-fusion/run_code", json=asked)
        asked = {"source": source, "language": "python3", "cpu_ns": 300_000_000_000}
        return client.post("/v1/executions?wait=60", json=asked)

    with client, ThreadPoolExecutor(100) as pool:
        asking = [pool.submit(ask, number) for number in range(100)]
        while "judge_waiting 100" not in client.get("/metrics").text:
            assert not any(one.done() for one in asking[::10])
            time.sleep(0.05)
        before = ticks(server.process.pid)
        server.process.send_signal(signal.SIGTERM)
        os.waitid(os.P_PID, server.process.pid, os.WEXITED | os.WNOWAIT)
        after = ticks(server.process.pid)
        assert server.process.wait(60) == 0
        assert {one.result().status_code for one in asking} == {202, 503}
    assert after - before < before / 5
    assert "Traceback" not in server.said


def test_no_longer_than_it_may_take(serve: Serve, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JUDGE_SERVE_DRAIN_SECONDS", "0.5")
    database = ("--database", str(tmp_path / "kept.sqlite"), "--slots", "1")
    server = serve(*database)
    body = {**SLOW, "source": SLOW["source"].replace("1.5", "15"), "wall_ns": 30_000_000_000}
    where = server.client.post("/v1/executions", json=body).headers["location"]
    begun(server)
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(14) == 0
    server = serve(*database)
    assert server.client.get(where).status_code == 202, "it is owed still"


@pytest.mark.usefixtures("patient")
def test_the_other_server_takes_at_once_what_was_given_back(serve: Serve, postgres: str) -> None:
    how = ("--database", postgres, "--slots", "1")
    one = serve(*how)
    owed = [one.client.post("/v1/executions", json=slow).headers["location"] for slow in SLOWS]
    begun(one)
    other = serve(*how)
    one.process.send_signal(signal.SIGTERM)
    assert one.process.wait(60) == 0
    results = [other.client.get(where, params={"wait": 60}).json() for where in owed]
    assert [json.dumps(result["execution"]["stdout"]) for result in results] == ['"1\\n"'] * 4


def test_a_client_that_begins_no_request_is_hung_up_on(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_SERVE_BODY_SECONDS", "1")
    server = serve()
    host, port = server.client.base_url.host, server.client.base_url.port or 80
    with socket.create_connection((host, port), 60) as silent, socket.create_connection((host, port), 60) as slow:
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        assert silent.recv(100) == slow.recv(100) == b""
    with socket.create_connection((host, port), 60) as again:
        again.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert again.recv(100).startswith(b"HTTP/1.1 200")
        again.sendall(b"GET /healthz HTTP/1.1\r\nHost: ")
        while again.recv(1000):
            pass
    assert server.client.get("/v1/limits").status_code == 200
