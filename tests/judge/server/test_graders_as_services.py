"""Services as `judge bench graders` asks them: ours, and others that answer nothing or an error."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from judge.common.errors import ConfigError
from judge.selftest.graders import services
from judge.selftest.graders.suite import Outcome, Suite, find_suite, read_suite
from tests.judge.server.conftest import Server

#: What each protocol can say; the last is a function.
NAMES = ("writes_by_os_write", "upper_case", "reads_frames", "cpp_off_by_one", "plain_function")
PATHS = {"sandbox-fusion": "sandbox-fusion", "scalebox": "sandbox-fusion", "piston": "piston"}


@pytest.fixture
def few() -> Suite:
    whole = read_suite(find_suite())
    return replace(whole, cases=[one for one in whole.cases if one.name in NAMES])


@pytest.mark.parametrize("protocol", services.PROTOCOLS)
def test_our_server_pays_what_is_right_by_each_protocol(server: Server, few: Suite, protocol: str) -> None:
    address = f"{str(server.client.base_url).rstrip('/')}/compat/{PATHS[protocol]}"
    outcomes = services.ask_service(protocol, address, few, 2)
    right = {"writes_by_os_write", "plain_function"} if protocol == "scalebox" else {"writes_by_os_write"}
    assert {name for name, outcome in outcomes.items() if outcome is Outcome.PAID} == right
    assert outcomes.keys() == set(NAMES) - ({"plain_function"} - right)
    assert Outcome.LOST not in outcomes.values()


@contextmanager
def answering(code: int, answer: Any) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(code)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("protocol", "answer"),
    [
        ("sandbox-fusion", {"accepted": False, "tests": [{"exec_info": {"status": "SandboxError"}}]}),
        ("scalebox", {"accepted": False, "tests": [{"exec_info": {"status": "SandboxError"}}]}),
        ("piston", {"run": {"status": "XX", "code": None, "stdout": ""}}),
    ],
)
def test_what_a_service_could_not_run_is_lost(few: Suite, protocol: str, answer: object) -> None:
    with answering(200, answer) as address:
        assert set(services.ask_service(protocol, address, few, 1).values()) == {Outcome.LOST}


def test_what_does_not_compile_is_rejected(few: Suite) -> None:
    with answering(200, {"compile": {"code": 1, "stdout": "", "status": None}}) as address:
        assert set(services.ask_service("piston", address, few, 1).values()) == {Outcome.REJECTED}


def test_a_service_that_answers_nothing_says_why(few: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "_PAUSE_S", 0)
    for code in (500, 503):
        with answering(code, "no room") as address, pytest.raises(ConfigError, match=f"{code} b'\"no room"):
            services.ask_service("piston", address, few, 1)
    with answering(200, [1]) as address, pytest.raises(ConfigError, match="answers nothing: AttributeError"):
        services.ask_service("piston", address, few, 1)
    with pytest.raises(ConfigError, match="write the address of a service"):
        services.ask_service("piston", "file:///etc/passwd", few, 1)
