"""What a client may do with a connection: send on, shut one side, vanish, read nothing."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import socket
import struct
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import psutil
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from judge.server import connection
from judge.server.connection import _look_whether_it_reads
from problems.model import MIB
from tests.judge.server.conftest import Serve, Server
from tests.judge.server.test_leaving import LONG, check_that_it_serves, gauge, read_to_end, send, wait_until

_PRINT = {"source": "import time\ntime.sleep(0.3)\nprint(6 * 7)", "language": "python3"}
_WAIT = "/v1/executions?wait=60"
#: Linux's: a socket in this mode is closed without a word.
_TCP_REPAIR = 19


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path, backend: str) -> Iterator[Server]:
    one = Server(tmp_path_factory.mktemp("connection"), shared_cache, backend, "--slots", "1")
    yield one
    one.stop()


def long_one(server: Server) -> socket.socket:
    """A request that is being answered."""
    sending = send(server, _WAIT, LONG[_WAIT])
    wait_until(lambda: gauge(server, "begun") == 1)
    return sending


def test_who_shuts_the_side_that_sends_gets_the_answer(server: Server) -> None:
    sending = send(server, _WAIT, _PRINT)
    sending.shutdown(socket.SHUT_WR)
    asked, _, answer = read_to_end(sending).rpartition(b"HTTP/1.1 100 Continue\r\n\r\n")
    assert set(asked.split()) <= {b"HTTP/1.1", b"100", b"Continue"}
    assert answer.startswith(b"HTTP/1.1 200")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["execution"]["stdout"] == "42\n"


@pytest.mark.parametrize("resets", [False, True])
def test_who_shuts_one_side_and_then_leaves_is_missed(server: Server, resets: bool) -> None:
    sending = long_one(server)
    sending.shutdown(socket.SHUT_WR)
    assert sending.recv(12) == b"HTTP/1.1 100", "it still reads"
    assert gauge(server, "begun") == 1
    if resets:
        sending.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sending.close()
    wait_until(lambda: gauge(server, "begun") == 0)
    check_that_it_serves(server)


@pytest.mark.parametrize("more", [b"POST /v1/exec", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"x" * MIB])
def test_a_further_request_hides_no_end(server: Server, more: bytes) -> None:
    sending = long_one(server)
    sending.sendall(more)
    sending.close()
    wait_until(lambda: gauge(server, "begun") == 0)
    check_that_it_serves(server)


@pytest.mark.parametrize("at_once", [False, True])
def test_requests_on_one_connection_are_answered_in_their_order(server: Server, at_once: bool) -> None:
    rest = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
    if at_once:
        sending = send(server, _WAIT, _PRINT)
    else:
        sending = send(server, _WAIT, {**_PRINT, "source": "import time\ntime.sleep(1)\nprint(6 * 7)"})
        wait_until(lambda: gauge(server, "begun") == 1)
    sending.sendall(rest)
    sending.shutdown(socket.SHUT_WR)
    answers = read_to_end(sending).split(b"HTTP/1.1 ")
    found = [answer for answer in answers if answer and not answer.startswith(b"100")]
    assert [answer[:3] for answer in found] == [b"200", b"200", b"404"]
    assert b"42\\n" in found[0]


def test_who_sends_on_and_on_gets_one_answer(server: Server) -> None:
    sending = send(server, _WAIT, {**_PRINT, "source": "import time\ntime.sleep(1)\nprint(6 * 7)"})
    wait_until(lambda: gauge(server, "begun") == 1)
    sending.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 10_000)
    assert read_to_end(sending).count(b"HTTP/1.1 200") == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can close a socket without a word")
def test_a_client_that_vanishes_is_missed(server: Server) -> None:
    """Its machine was switched off: nothing says so, and nothing is sent to it before there is an answer."""
    sending = send(server, _WAIT, {**LONG[_WAIT], "source": "import time\ntime.sleep(300)"})
    wait_until(lambda: gauge(server, "begun") == 1)
    try:
        sending.setsockopt(socket.IPPROTO_TCP, _TCP_REPAIR, 1)
    except OSError:
        pytest.skip("this root may not close a socket without a word")
    sending.close()
    assert gauge(server, "begun") == 1
    wait_until(lambda: gauge(server, "begun") == 0)


def address(server: Server, path: str) -> str:
    return f"ws://{server.client.base_url.host}:{server.client.base_url.port}/compat/{path}"


def test_half_a_message_of_a_websocket_does_not_stay(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_SERVE_BODY_SECONDS", "1")
    server = serve()
    with connect(address(server, "go-judge/ws")) as idle, connect(address(server, "go-judge/ws")) as slow:

        def parts() -> Iterator[str]:
            yield "{"
            slow.recv()

        with pytest.raises(ConnectionClosed):
            slow.send(parts())
        idle.send(json.dumps({"requestId": "", "cmd": []}))
        assert json.loads(idle.recv())["error"] == "empty request id", "who has begun nothing is not hurried"


def test_messages_of_websockets_are_no_more_than_the_memory_for_them(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_SERVE_MOST_BODY", str(32 * MIB))  # 8 of them
    server = serve()
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss

    def parts(begun: threading.Event, end: threading.Event) -> Iterator[str]:
        yield "x" * (30 * MIB)
        begun.set()
        end.wait()

    def send_half(end: threading.Event) -> None:
        begun = threading.Event()
        with suppress(ConnectionClosed), connect(address(server, "go-judge/ws")) as talk:
            talk.send(parts(begun, end))

    end = threading.Event()
    with ThreadPoolExecutor(16) as pool:
        sent = [pool.submit(send_half, end) for _ in range(16)]
        wait_until(lambda: sum(each.done() for each in sent) >= 7)
        assert process.memory_info().rss - before < 500 * MIB
        assert server.client.get("/v1/limits").status_code == 200, "what is small is taken"
        end.set()


def test_results_that_nobody_reads_take_little_memory(server: Server) -> None:
    row = {"problem": "P1001", "source": "print(sum(map(int, input().split())))", "language": "python3"}
    body = "".join(json.dumps(row | {"id": str(number)}) + "\n" for number in range(1000))
    batch = server.client.post("/v1/batches", content=body).json()["id"]
    wait_until(lambda: server.client.get(f"/v1/batches/{batch}").json()["waiting"] == 0)
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss
    with ExitStack() as stack:
        for _ in range(50):
            reader = stack.enter_context(socket.socket())
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.connect((server.client.base_url.host, server.client.base_url.port or 80))
            reader.sendall(f"GET /v1/batches/{batch}/results HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        time.sleep(2)
        assert process.memory_info().rss - before < 150 * MIB
    lines = server.client.get(f"/v1/batches/{batch}/results").text.splitlines()
    assert [json.loads(line)["number"] for line in lines] == list(range(1, 1001))


def test_thousands_of_connections_take_nothing_from_others(serve: Serve) -> None:
    server = serve("--slots", "2")
    port = server.client.base_url.port or 80
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = connection._DESCRIPTORS // connection._PER_PLACE + 100
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2 * count)), hard))
    row = server.client.post("/v1/executions", json=LONG[_WAIT]).json()["id"]
    asked = f"GET /v1/executions/{row}?wait=60 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(count):
            many = stack.enter_context(socket.create_connection(("127.0.0.1", port), 60))
            many.sendall(asked)
        assert many.recv(1000).startswith(b"HTTP/1.1 503")
        elsewhere = httpx.HTTPTransport(local_address="127.0.0.2")
        with httpx.Client(base_url=server.client.base_url, transport=elsewhere, timeout=120) as other:
            for client in (server.client, other):
                program = {"source": "int main() { return 0; }", "language": "cpp17"}
                ran = client.post(_WAIT, json=program).json()["execution"]
                assert (ran["detail"], ran["exit_code"]) == ("", 0)
            assert other.get("/v1/limits").status_code == 200
        assert "Too many open files" not in server.said
    wait_until(lambda: psutil.Process(server.process.pid).num_fds() < 200)


@pytest.mark.parametrize("closed", [False, True])
def test_who_reads_nothing_is_hung_up_on(monkeypatch: pytest.MonkeyPatch, closed: bool) -> None:
    monkeypatch.setattr(connection, "_LOOK_S", 0.05)
    if not closed:
        monkeypatch.setattr(connection, "_UNREAD_S", 0.2)

    class Talkative(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            _look_whether_it_reads(transport)
            transport.write(bytes(64 * MIB))
            if closed:
                transport.close()

        def connection_lost(self, error: Exception | None) -> None:
            lost.set()

    async def serve() -> int:
        loop = asyncio.get_running_loop()
        listening = await loop.create_server(Talkative, "127.0.0.1")
        with socket.create_connection(listening.sockets[0].getsockname()) as client:
            await asyncio.wait_for(lost.wait(), 60)
            client.setblocking(False)
            listening.close()
            reader, writer = await asyncio.open_connection(sock=client.dup())
            try:
                return len(await reader.read())
            except ConnectionResetError:
                return 0
            finally:
                writer.close()

    lost = asyncio.Event()
    assert asyncio.run(serve()) < 64 * MIB
