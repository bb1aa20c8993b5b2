"""A client that posts while its server is killed, so that kills meet requests in flight."""

from __future__ import annotations

import itertools
import json
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

import httpx
import psutil

from tests.judge.server.conftest import Server

_PAUSE_S = 0.002
#: Of those that were answered, so many are asked for again.
_ASKED = 200


@dataclass
class Posting:
    """Posts submissions, two at a time, each with an idempotency key, to whichever server there is now. Those of
    even numbers go again with their key when they were not answered."""

    sent: Callable[[int], dict[str, object]]
    #: By key: the ids that it was answered with.
    answered: dict[str, set[str]] = field(default_factory=dict)
    #: Keys of requests that broke off at least once.
    broken: set[str] = field(default_factory=set)
    #: Answers that a server should not give.
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._server: Server | None = None
        self._unanswered: list[socket.socket] = []
        self._ended = threading.Event()
        self._numbers = itertools.count()
        self._threads = [threading.Thread(target=self._post) for _ in range(2)]

    def to(self, server: Server) -> None:
        """Send what follows to this server."""
        self._server = server
        for thread in self._threads:
            if not thread.is_alive():
                thread.start()

    def kill_unanswered(self, server: Server) -> None:
        """Kill the server when one is under way that it cannot answer any more: it is stopped before that is sent."""
        server.process.send_signal(signal.SIGSTOP)
        while psutil.Process(server.process.pid).status() != psutil.STATUS_STOPPED:
            time.sleep(0.001)
        key = f"posted {next(self._numbers)}"
        body = json.dumps({**self.sent(int(key.split()[1])), "id": key}).encode()
        where = server.client.base_url
        head = f"POST /v1/judgements HTTP/1.1\r\nHost: {where.host}\r\nIdempotency-Key: {key}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._unanswered.append(socket.create_connection((where.host, where.port or 80), 60))
        self._unanswered[-1].sendall(head.encode() + body)
        self.broken.add(key)
        server.kill()

    def end(self) -> None:
        for connection in self._unanswered:
            connection.close()
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _post(self) -> None:
        number = next(self._numbers)
        while not self._ended.wait(_PAUSE_S):
            key = f"posted {number}"
            body = {**self.sent(number), "id": key}
            with suppress(httpx.ConnectError):  # there is no server: nothing was sent
                while not self._once(key, body) and number % 2 == 0 and not self._ended.wait(_PAUSE_S):
                    pass
                number = next(self._numbers)

    def _once(self, key: str, body: dict[str, object]) -> bool:
        """Whether it was answered."""
        assert self._server is not None
        try:
            where = str(self._server.client.base_url)
            answer = httpx.post(f"{where}/v1/judgements", json=body, headers={"Idempotency-Key": key}, timeout=60)
        except httpx.ConnectError:
            raise
        except httpx.HTTPError:
            self.broken.add(key)
            return False
        if answer.status_code in (200, 202):
            self.answered.setdefault(key, set()).add(answer.json()["id"])
        else:
            self.wrong.append(answer.text)
        return True


def check(posting: Posting, client: httpx.Client, requests: Iterable[tuple[str]]) -> None:
    """Each that was answered has one result; each that was not may be there or not, once at most. `requests`: those of
    all rows in the database."""
    service = Counter(json.loads(request)["id"] for (request,) in requests)
    assert not posting.wrong
    assert posting.answered
    assert posting.broken, "no kill met a request"
    assert {len(ids) for ids in posting.answered.values()} == {1}
    keys = posting.answered.keys() | posting.broken
    assert all(service[key] == 1 if key in posting.answered else service[key] <= 1 for key in keys)
    for key in {*posting.broken, *sorted(posting.answered)[:_ASKED]}:
        body = {**posting.sent(int(key.split()[1])), "id": key}
        again = client.post("/v1/judgements?wait=60", json=body, headers={"Idempotency-Key": key}).json()
        assert {again["id"]} == posting.answered.get(key, {again["id"]})
        assert again["judgement"]["verdict"] == "AC"
        assert client.get(f"/v1/judgements/{again['id']}").json() == again
