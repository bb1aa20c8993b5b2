"""go-judge's sockets: many requests on one, and a command that is talked to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.judge.server.conftest import Serve, Server, make_keys
from tests.judge.server.test_go_judge import command, run


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path, backend: str) -> Iterator[Server]:
    one = Server(tmp_path_factory.mktemp("go-judge"), shared_cache, backend, "--compat", "go-judge")
    yield one
    one.stop()


def socket_to(server: Server, path: str, **headers: str) -> ClientConnection:
    address = str(server.client.base_url).replace("http", "ws", 1).rstrip("/")
    return connect(f"{address}{path}", additional_headers=headers)


def asked(socket: ClientConnection, **body: object) -> Any:
    socket.send(json.dumps(body))
    return json.loads(socket.recv(timeout=60))


def line(socket: ClientConnection) -> bytes:
    """What the command writes, up to the end of a line. It may come in parts."""
    text = b""
    while not text.endswith(b"\n"):
        said = socket.recv(timeout=60)
        assert said[:2] == b"\2\1", said
        text += bytes(said[2:])
    return text


def test_its_socket(server: Server) -> None:
    with socket_to(server, "/ws") as socket:
        found = asked(socket, requestId="a", cmd=[command("/bin/cat", stdin="x")])
        assert (found["requestId"], found["results"][0]["files"]["stdout"]) == ("a", "x")
        assert asked(socket, cmd=[command("/bin/cat")])["error"] == "empty request id"
        assert asked(socket, requestId="b", cmd=[])["error"] == "no cmd provided"
        for id_ in ("c", "d"):
            sleeper = command("/bin/sleep", "5", cpuLimit=10**9, clockLimit=60 * 10**9)
            socket.send(json.dumps({"requestId": id_, "cmd": [sleeper]}))
        assert asked(socket, requestId="c", cmd=[command("/bin/cat")])["error"] == "duplicated request id: c"
        assert asked(socket, cancelRequestId="d") == {
            "requestId": "d", "results": None, "error": "request cancelled before execute",
        }  # fmt: skip
    for wrong in ("{", "[]", '{"requestId": 3}', b"\1"):
        with socket_to(server, "/ws") as socket:
            socket.send(wrong)
            with pytest.raises(ConnectionClosed):
                socket.recv(timeout=60)


def test_its_stream(server: Server) -> None:
    talker = command("/usr/bin/python3", "-u", "-c", "while x := input(): print(x[::-1])\nraise SystemExit(4)")
    talker["files"][:2] = [{"streamIn": True}, {"streamOut": True}]
    with socket_to(server, "/stream") as socket:
        socket.send(b"\1" + json.dumps({"requestId": "r", "cmd": [talker]}).encode())
        for text in (b"abc", b"xyz"):
            socket.send(b"\3\0" + text + b"\n")
            assert line(socket) == text[::-1] + b"\n"
        socket.send(b'\2{"index":0,"fd":1,"rows":20,"cols":80}')
        socket.send(b"\3\0\n")
        end = socket.recv(timeout=60)
        assert isinstance(end, bytes)
        assert end[0] == 1
        found = json.loads(end[1:])
        assert found["requestId"] == "r"
        assert (found["results"][0]["status"], found["results"][0]["exitStatus"]) == ("Nonzero Exit Status", 4)
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=60)


def test_a_stream_is_cancelled_and_may_have_collectors(server: Server) -> None:
    endless = command("/usr/bin/python3", "-c", "print('began', flush=True)\nwhile 1: pass")
    endless["files"][1] = {"streamOut": True}
    with socket_to(server, "/stream") as socket:
        socket.send(b"\1" + json.dumps({"cmd": [endless]}).encode())
        assert line(socket) == b"began\n"
        socket.send(b"\4")
        end = socket.recv(timeout=60)
        assert json.loads(end[1:])["results"][0]["status"] == "Signalled"
    with socket_to(server, "/stream") as socket:
        socket.send(b"\1" + json.dumps({"cmd": [command("/bin/cat", stdin="plain")]}).encode())
        end = socket.recv(timeout=60)
        assert json.loads(end[1:])["results"][0]["files"]["stdout"] == "plain"
    for wrong in (b"", b"\1{", b"\3\0x", b"\1" + json.dumps({"cmd": []}).encode()):
        with socket_to(server, "/stream") as socket:
            socket.send(wrong)
            assert "error" in json.loads(socket.recv(timeout=60)[1:])


def test_a_socket_that_breaks_off_frees_its_slot(server: Server) -> None:
    for _ in range(3):
        endless = command("/bin/sleep", "50", cpuLimit=10**9, clockLimit=100 * 10**9)
        endless["files"][0] = {"streamIn": True}
        with socket_to(server, "/stream") as socket:
            socket.send(b"\1" + json.dumps({"cmd": [endless]}).encode())
    assert run(server, command("/bin/cat", stdin="x"))["files"]["stdout"] == "x"


def test_a_socket_asks_for_a_key(serve: Serve, tmp_path: Path) -> None:
    (key,) = make_keys(tmp_path / "keys.toml", "one")
    server = serve("--keys", str(tmp_path / "keys.toml"), "--compat", "go-judge")
    with pytest.raises(Exception, match="403"), socket_to(server, "/ws"):
        pass
    with socket_to(server, "/ws", Authorization=f"Bearer {key}") as socket:
        assert (
            asked(socket, requestId="1", cmd=[command("/bin/cat", stdin="x")])["results"][0]["files"]["stdout"] == "x"
        )
